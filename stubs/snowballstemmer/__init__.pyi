"""Snowball's stemmers, as far as the package uses them."""

class Stemmer:
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - its own name

def algorithms() -> list[str]: ...
def stemmer(lang: str) -> Stemmer: ...
