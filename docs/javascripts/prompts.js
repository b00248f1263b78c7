// The highlighter takes lines that begin with # or % for commands of a shell. The pages type commands after $ only, so such lines are output.
for (const line of document.querySelectorAll('.md-typeset code > span[id^="__line"]')) {
  const prompt = line.querySelector(":scope > .gp");
  if (prompt && /[#%]\s*$/.test(prompt.textContent)) {
    const output = document.createElement("span");
    output.className = "go";
    output.textContent = line.textContent;
    line.replaceChildren(output);
  }
}
