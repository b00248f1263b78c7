"""Scores runs on every topic under each condition, and averages the scores over topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import polars as pl

from inexmetrics.collection import Collection, condition_names
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.cells import decimal, decimals_of, plus_minus, with_intervals
from inexmetrics.common.messages import did_you_mean, enumerate_texts, with_hint
from inexmetrics.common.options import PaperWidth, Rows, RunOptions
from inexmetrics.experiments import findings as say
from inexmetrics.experiments.base import Metric, Result
from inexmetrics.experiments.condition_scores import ConditionScores, Scored, scored, with_left_out
from inexmetrics.experiments.conditions import Measured
from inexmetrics.experiments.marks import NO_MARKS, Marks, Tests, marks_of
from inexmetrics.experiments.scores_tables import FAR_BEYOND, Means, PerTopic, describe_condition, half_widths, runs_ahead, wide_table
from inexmetrics.experiments.shown_intervals import INTERVAL, ResultWithIntervals
from inexmetrics.experiments.tables import TableOf
from inexmetrics.inference.means import TOLERANCE, means_among, ranking, sample_deviations, student_margins
from inexmetrics.report import CONDITION, Figure, Printed, changes, narrowing, numbered, side_by_side, stated
from inexmetrics.scoring.undefined import undefined_topics
from inexmetrics.terms import Choice, Made, Optional, argument, parameter, word

if TYPE_CHECKING:
    from inexmetrics.report.paper_tables import PaperTable

__all__ = ["ScoresResult", "Scoring", "scores"]


MANY_TOPICS: Final = 10
"""Number of topics from which a warning names runs whose mean depends on a single topic."""
LARGE_SHARE: Final = 1 / 3


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoresResult(ResultWithIntervals):
    """The result of `scores`: scores of runs by topic, and their means over topics."""

    experiment: Scoring
    scores = TableOf(Means)
    per_topic = TableOf(PerTopic)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.runs import scores_figure, swept  # imported only when a chart is drawn

        sweeps = swept((condition.measure, condition.texts) for condition in self.experiment.conditions)
        return scores_figure(self.shown, sweeps, self.experiment.interval)

    @property
    def finding(self) -> str:
        asked = say.rows_by_condition(self.shown["scores"])
        defined = [known for rows in asked if (known := [row for row in rows if row["mean"] is not None])]
        if not defined:
            return say.not_defined(asked)
        if len(defined) == 1:
            return describe_condition(defined[0], self.experiment.interval, self.origin.unit, self._best(defined))
        noun = self.experiment.condition_noun
        names, _ = say.apart([rows[0] for rows in defined], noun)
        if max(map(len, defined)) == 1:
            low, high = say.extremes([rows[0] for rows in defined], lambda row: row["mean"])
            if high["mean"] - low["mean"] <= TOLERANCE:
                return f"The means of {say.named_run(low['run_id'])} are {say.number(low['mean'])} under {say.all_of(len(defined), noun)}."
            span = f"{say.number(low['mean'])} ({say.under(low)}) and {say.number(high['mean'])} ({say.under(high)})"
            return f"The means of {say.named_run(low['run_id'])} lie between {span}."
        best = f"the {self._best(defined)} mean"
        return f"Of {len(defined[0])} {self.origin.unit}s, {say.leading([runs_ahead(rows) for rows in defined], names, noun, best)}."

    def _best(self, conditions: Iterable[Sequence[say.Row]]) -> str:
        """Returns the word for the best mean: highest, lowest if lower scores are better, or best if the conditions differ in this."""
        lower = {rows[0]["measure"] in self.origin.lower for rows in conditions}
        return "best" if len(lower) > 1 else "lowest" if True in lower else "highest"

    def to_metrics(self, run: str | None = None) -> list[Metric]:
        """Returns the scores by topic as `Metric` tuples in the form of ir_measures, without undefined topics.

        `Metric` tuples do not contain the name of the run, so `run` should be named if there are several. The tuples are in the order of the
        rows of table ``per_topic``.

        Args:
            run: The id of the only run whose scores are returned; None for all runs.

        Raises:
            ValueError: The run does not exist.
        """
        rows = self.tables["per_topic"]
        argument("run", Optional(Made(str, "the name of a run")), run)
        if run is not None:
            runs = rows["run_id"].unique(maintain_order=True).to_list()
            if run not in runs:
                hint = did_you_mean(run, runs)
                raise ValueError(with_hint(f"expected the name of a run, found {run!r}", hint))
            rows = rows.filter(pl.col("run_id") == run)
        chosen = rows.filter(pl.col("score").is_not_null())
        texts = chosen.select(pl.col("topic_id"), condition_names.condition_column(), pl.col("score"))
        return [Metric(topic, text, score) for topic, text, score in texts.iter_rows()]

    def printed(self) -> Iterator[Printed]:
        yield self._means_beside()

    def to_text(self, table: str | None = None, *, width: int | None = None, rows: Rows = None, marks: Tests | None = None) -> str:
        """Returns the text for a terminal: the formula, the data, the finding, and the tables.

        Args:
            table: The single table to show; None shows the means.
            width: Text width in characters; None uses the terminal's width, or 120 if output is not a terminal.
            rows: Number of rows to show of each table, or "all"; None shows at most 40 rows of each table and at most 60 lines in total.
            marks: A result of `significance` or `versus` for the same runs and conditions; the significant differences are
                marked next to the means, as in `to_latex`.

        Raises:
            ValueError: The result does not have a table of this name, or `width` or `rows` is invalid. Also raised if the runs or
                conditions of the marks differ from those of the means.
        """
        means = self._means_beside() if marks is None else self._means_beside(self._marks(table, marks), marks.tested)
        return self._text([means], table, width=width, rows=rows, warnings=self._warned(marks))

    def to_markdown(self, table: str | None = None, *, marks: Tests | None = None) -> str:
        """Returns a table in Markdown, by default the first table.

        Args:
            table: The table's name.
            marks: A result of `significance` or `versus` for the same runs and conditions; the significant differences are
                marked next to the means, as in `to_latex`.

        Raises:
            ValueError: The result does not have a table of this name, or the runs or conditions of the marks differ from those of the
                means.
        """
        from inexmetrics.report.formats import markdown_table  # loaded only for Markdown

        if marks is None and self.named(table) is self.table:
            wide = side_by_side(self.table, "run_id", "mean")
            about = "; ".join(filter(None, [str(self.origin), self._hidden_intervals()]))
            return markdown_table(wide, smallest_p=self.smallest_p, facts=about, note=self.tested, warnings=self.warnings)
        if marks is None:
            return Result.to_markdown(self, table)
        found = self._marks(table, marks)
        rows = wide_table(self.table, map(decimal, self.table["mean"], decimals_of(self.table)["mean"]), found).with_columns(
            pl.all().exclude("run_id").str.strip_chars_end()
        )
        facts = "; ".join(filter(None, [str(self.origin), self._hidden_intervals(), f"{found.text} ({marks.tested})"]))
        return markdown_table(rows, smallest_p=self.smallest_p, facts=facts, right=rows.columns[1:], warnings=self._warned(marks))

    def to_latex(self, table: str | None = None, *, width: PaperWidth | None = None, marks: Tests | None = None) -> str:
        r"""Returns a table, by default the first, as a LaTeX float with a caption and the rules of the package booktabs.

        The first table has one row for each run and one column for each condition, with the highest mean of each column in bold. If `marks`
        is a result of `significance` for up to twelve runs, each run has a letter, and the letters next to a mean name the runs with
        significantly lower means. With more than twelve runs, a dagger marks means that are significantly lower than the highest mean. If
        `marks` is a result of `versus` with one baseline, a dagger marks means that are significantly higher than the baseline's mean, and
        a double dagger marks means that are significantly lower. With several baselines, superscript letters name the baselines with
        significantly lower means, and subscript letters name the baselines with significantly higher means.

        Args:
            table: The table's name.
            width: The maximum width, ``"column"`` or ``"page"``: see `Result.to_latex`.
            marks: A result of `significance` or `versus` for the same runs and conditions.

        Raises:
            ValueError: The result does not have a table of this name, or the runs or conditions of the marks differ from those of the
                means.

        Examples:
            >>> from inexmetrics import MAP, run, sample, scores, significance, t
            >>> few = sample().only(runs=["group01-a", "group07-a", "group10-c"])
            >>> latex = run(scores(MAP), few).to_latex(marks=run(significance(MAP, test=t), few))
            >>> print("\n".join(line for line in latex.splitlines() if line.startswith("group")))
            group07-a & a & \textbf{0.4369} & $^{c}$ \\
            group10-c & b & 0.4046 & $^{c}$ \\
            group01-a & c & 0.2524 &  \\
        """
        from inexmetrics.report import formats, papers  # loaded only for LaTeX

        if marks is None:
            return formats.latex_table(self._paper_table(table), self.smallest_p, width)
        found, paper = self._marks(table, marks), self._paper_table(table)
        columns = zip(paper.frame.columns[1:], found.above.values(), strict=True)
        above = {name: [mark.latex for mark in column] for name, column in columns}
        frame = paper.frame
        if found.letters:
            frame = frame.insert_column(1, pl.Series(" ", found.letters))
        caption = (*paper.caption, found.latex, *list(papers.facts(marks, marks.tested))[1:])
        marked = replace(paper, frame=frame, marks=above, caption=caption, warnings=self._warned(marks))
        return formats.latex_table(marked, self.smallest_p, width)

    def _warned(self, marks: Tests | None) -> tuple[str, ...]:
        """Returns the warnings of the means and of the tests whose markers are added to the means."""
        return self.warnings if marks is None else tuple(dict.fromkeys((*self.warnings, *marks.warnings)))

    def _means_beside(self, marks: Marks = NO_MARKS, tested: str = "") -> Printed:
        """Returns the printed form of the means with their intervals.

        Narrower forms omit the intervals, replace the headings with numbers, or list one mean per row.
        """
        means = self.shown["scores"]
        cells, meaning = self._cells()
        same_topics = means["topics"].n_unique() == 1
        if not same_topics:
            cells = [f"{cell} ({topics})" for cell, topics in zip(cells, means["topics"], strict=True)]
        topics = stated(means, "topics") if same_topics else "topics in parentheses"
        shown = "; ".join(filter(None, [meaning, topics, self.without_interval("scores")]))
        alone = f"mean; {stated(means, 'topics')}".removesuffix("; ")
        ends = ("low", "high") if same_topics else ("topics", "low", "high")
        first = 2 if marks.letters else 1
        marked = f"; {marks.text} ({tested})" if marks.meaning else ""
        both, narrow = (
            Printed("scores", frame, f"{above}{marked}", constants=False, right=tuple(frame.columns[first:]), without=without)
            for frame, above, without in (
                (wide_table(means, cells, marks), shown, ()),
                (wide_table(means, map(decimal, means["mean"], decimals_of(means)["mean"]), marks), alone, ends),
            )
        )
        long = () if marks.meaning else (Printed("scores", means, breaks=changes(means, *CONDITION)),)
        return narrowing([both, narrow, numbered(narrow, first), *long])

    def _cells(self) -> tuple[list[str], str]:
        """Returns the means with their intervals as strings, and a heading.

        Intervals are written as half-widths if no interval extends far below 0 or far above 1. Otherwise, the two ends of each interval are
        written.
        """
        shown = self.shown["scores"]
        decimals = decimals_of(shown)["mean"]
        if not shown["low"].drop_nulls().len():
            return list(map(decimal, shown["mean"], decimals)), "mean"
        confidence = say.confidence_text(self.experiment.interval)
        below, above = shown["mean"] - shown["low"], shown["high"] - shown["mean"]
        beyond = (below - above).abs().max()  # an interval is symmetric unless it is clipped to the range of the measure
        if isinstance(beyond, float) and beyond > FAR_BEYOND:
            return with_intervals(shown["mean"], shown["low"], shown["high"], decimals), f"mean [{confidence} interval]"
        ends = " within 0 to 1" if isinstance(beyond, float) and beyond > TOLERANCE else ""
        return plus_minus(
            shown["mean"], shown.select(pl.max_horizontal(below, above)).to_series(), decimals
        ), f"mean ± half of its {confidence} interval{ends}"

    def _marks(self, table: str | None, tests: Tests) -> Marks:
        """Returns the markers of the means, in the order of the runs under the first condition."""
        argument("marks", Made(Result, "the result of significance or versus"), tests)
        if self.named(table) is not self.table:
            raise ValueError(f"marks: expected the table scores, found {table}")
        if tests.origin.fingerprint != self.origin.fingerprint:
            raise ValueError(
                f"marks: expected tests on the same data as the means ({self.origin}), found tests on other data ({tests.origin})"
            )
        return marks_of(self.table, self.table["run_id"].unique(maintain_order=True).to_list(), tests)

    def _paper_table(self, table: str | None) -> PaperTable:
        from inexmetrics.report import paper_tables, papers

        if self.named(table) is not self.table:
            return papers.paper_table(self, table)
        unit = self.origin.unit
        bold = f"s, the {self._best(say.rows_by_condition(self.table))} in bold" if self.origin.compared > 1 else ""
        title = f"Mean scores of the {unit}{bold}."
        wide = side_by_side(self.table, "run_id", "mean")
        paper = papers.conditions_beside(self, wide, title, best=True, without=("topics", "low", "high"))
        hidden = self._hidden_intervals()
        return replace(paper, caption=(*paper.caption, f"{paper_tables.escaped(say.sentence(hidden))}.")) if hidden else paper

    def _hidden_intervals(self) -> str:
        """Returns how wide the intervals are that Markdown and LaTeX omit, or why there are none."""
        return "; ".join(filter(None, [half_widths(self.shown["scores"], self.experiment.interval), self.without_interval("scores")]))


@word("scores")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Scoring(Measured[ScoresResult]):
    """Scores runs on every topic under each condition, and averages the scores over topics.

    The confidence interval of a mean is Student's t interval. A topic that a run does not answer scores 0. A topic without relevant
    material under the condition is undefined and excluded for every run. With the official evaluator's rules (compat), the mean of each run
    and its interval use only the topics that the run answers.

    Formula:
        low, high = mean -+ q sd / sqrt(n)
        where
            mean: the mean of a run's scores
            q: the quantile at (1 + interval) / 2 of Student's distribution with n-1 degrees of freedom
            sd: the standard deviation of the scores, with n-1 in its denominator
            n: the number of topics

    Args:
        interval: The confidence level of ``low`` and ``high``.
        undefined: The treatment of a topic for which the measure is undefined, for example because nothing is relevant. With
            ``"excluded"``, the topic is excluded from the mean of every run. With ``"zero"``, the topic has the score 0 for every run, as
            in the means of trec_eval.

    Notes:
        * Independence: the interval treats the topics as independent draws from the population of topics. If topics are clustered, the
          interval is too narrow: with 10 clusters of 10 topics and most variance between clusters, 95 % intervals contain about half
          of the true means. A warning names declared clusters.
        * Number of topics: Student's t interval assumes that means are approximately normal. With few topics and skewed scores, the
          coverage of the interval is below its confidence level. If one of at least 10 topics contributes more than a third of the sum of a
          run's scores, a warning names the run and the topic.
        * Ties: runs with equal means are sorted by run_id.
        * Topics of a mean: Topics are in lexicographic order. With ``compat="inex_eval"``, the means of `scores` and `curve` exclude
          topics that a run does not answer, and a warning says so.
        * Intervals and differences: An interval applies to one run. The intervals of two runs may overlap although their difference is
          significant, because `significance` compares the runs topic by topic.

    Examples:
        >>> from inexmetrics import Gen5, MAep, nxCG, scores
        >>> scores((MAep, nxCG @ 10), Gen5)
        scores(MAep + nxCG@10 ~ Gen5)

        Two runs with scores from another program on three topics have the means (.4 + .6 + .5) / 3 = .5 and (.1 + .2 + .3) / 3 = .2:

        >>> import polars as pl
        >>> from inexmetrics import MAP
        >>> import numpy as np
        >>> from inexmetrics import run, scores_from
        >>> board = scores_from(np.array([[0.4, 0.1], [0.6, 0.2], [0.5, 0.3]]))
        >>> run(scores(MAP), board).table.select("run_id", "topics", pl.col("mean").round(4)).rows()
        [('1', 3, 0.5), ('2', 3, 0.2)]

        Nothing is relevant on the second topic. The mean is that of the first topic, or (1 + 0) / 2. A warning names the topic:

        >>> import warnings
        >>> from inexmetrics import RR, from_frames
        >>> judged = from_frames({"1": {"a": 1}, "2": {"b": 0}}, {"1": {"a": 1.0}, "2": {"b": 1.0}})
        >>> with warnings.catch_warnings(action="ignore"):
        ...     [
        ...         run(scores(RR, undefined=rule), judged).table["mean"].item()
        ...         for rule in ("excluded", "zero")
        ...     ]
        [1.0, 0.5]
    """

    interval: float = parameter(0.95, INTERVAL)
    undefined: Literal["excluded", "zero"] = parameter("excluded", Choice(("excluded", "zero")))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> ScoresResult:
        found = scored(self, source, setting) if self.undefined == "excluded" else self._with_zeros(source, setting)
        means, per_topic = [], []
        for condition in found.conditions:
            means.append(_means(condition, found.answered, self.interval))
            rows = PerTopic.frame(
                run_id=np.repeat(np.array(condition.runs, dtype=object), len(condition.topics)).tolist(),
                topic_id=list(condition.topics) * len(condition.runs),
                **condition.names,
                score=condition.matrix.reshape(-1),
            )
            per_topic.append(rows if found.answered is None else rows.filter(pl.Series(found.answered.reshape(-1))))
        tables: dict[str, pl.DataFrame] = {"scores": Means.concat(means), "per_topic": PerTopic.concat(per_topic)}
        warnings = (*with_left_out(found.warnings, source, found.answered), *_rests_on_one_topic(found.conditions))
        return ScoresResult(self, tables, found.origin, setting.compat, warnings)

    def _with_zeros(self, source: Collection | Scores, setting: RunOptions) -> Scored:
        """Returns the scores, with 0 for each topic that a condition uses and for which the measure is undefined."""
        every = np.ones(len(source.topics), dtype=np.bool_)
        found = scored(self, source, setting, {condition.texts: every for condition in self.conditions})
        undefined = {
            of_condition.texts: asked.chosen(source.topics) & ~of_condition.defined
            for asked, of_condition in zip(self.conditions, found.conditions, strict=True)
        }
        conditions = tuple(condition.with_zeros(undefined[condition.texts]) for condition in found.conditions)
        counted = undefined_topics(source.topics, undefined, setting.compat, counted=True)
        return replace(found, conditions=conditions, warnings=tuple(dict.fromkeys((*found.warnings, *counted))))


def _rests_on_one_topic(conditions: Iterable[ConditionScores]) -> Iterator[str]:
    """Yields a warning that names runs with one topic that contributes more than a third of the sum of the run's scores.

    On fewer than 10 topics, and for scores of both signs, such a share is not unusual, and no warning is yielded.
    """
    cases = []
    for condition in conditions:
        sizes = np.abs(condition.scores)
        if sizes.shape[1] < MANY_TOPICS or (condition.scores.min() < 0.0 < condition.scores.max()):
            continue
        with np.errstate(over="ignore"):  # no topic contributes much to an infinite sum
            total = sizes.sum(axis=1)
        shares = np.divide(sizes.max(axis=1), total, out=np.zeros(len(total)), where=total > 0.0)
        topics = np.array(condition.topics)[condition.defined]
        for run in np.flatnonzero(shares > LARGE_SHARE).tolist():
            topic = topics[int(sizes[run].argmax())]
            cases.append(f"{condition.runs[run]} in {condition.text} (topic {topic}: {say.percentage(float(shares[run]))})")
    if cases:
        yield (
            f"scores: one topic contributes more than a third of the total score of {enumerate_texts(cases)}; "
            f"{'the interval of this mean is' if len(cases) == 1 else 'the intervals of these means are'} uncertain"
        )


def _means(condition: ConditionScores, answered: BoolArray | None, interval: float) -> pl.DataFrame:
    if answered is None:
        topics, means = np.full(len(condition.runs), condition.scores.shape[1]), condition.means
        deviations = sample_deviations(condition.scores)
    else:
        topics, means = answered.sum(axis=1), means_among(condition.matrix, answered)
        rows = zip(condition.matrix, answered, strict=True)
        deviations = np.concatenate([sample_deviations(scores[None, among]) for scores, among in rows])
    margins = student_margins(deviations, topics, interval)
    best_first = ranking(means)
    return Means.frame(
        run_id=[condition.runs[run] for run in best_first],
        **condition.names,
        topics=topics[best_first],
        mean=means[best_first],
        low=(means - margins)[best_first],
        high=(means + margins)[best_first],
    )


scores: Final = Scoring
