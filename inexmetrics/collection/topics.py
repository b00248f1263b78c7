"""Topics with the texts that their authors wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from inexmetrics.common.errors import Problem
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import plural

__all__ = ["PARTS", "Topic", "Topics"]

PARTS: Final = ("title", "castitle", "description")
"""Parts of a topic that can be used as a query."""


@dataclass(frozen=True, slots=True)
class Topic(Frozen):
    """A topic with its texts; a part that is missing from the file is None.

    Attributes:
        topic_id: Identifier of the topic.
        title: Query that a user would type.
        castitle: Query with conditions on the structure of documents.
        description: One sentence that describes the information need.

    Examples:
        >>> Topic("7", "bees").title
        'bees'
    """

    topic_id: str
    title: str | None = None
    castitle: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Topics(Frozen, Mapping[str, Topic]):
    """Topics by identifier, in the order of their files.

    Attributes:
        topics: Topics with unique identifiers.
        warnings: Warnings from reading the files.

    Examples:
        >>> topics = Topics((Topic("7", "bees"), Topic("8")))
        >>> topics["7"].title, list(topics), "9" in topics
        ('bees', ['7', '8'], False)
    """

    topics: tuple[Topic, ...]
    warnings: tuple[Problem, ...] = ()
    _by_id: Mapping[str, Topic] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {topic.topic_id: topic for topic in self.topics})

    def __getitem__(self, topic_id: str) -> Topic:
        return self._by_id[topic_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)

    def __repr__(self) -> str:
        return f"Topics({plural(len(self), 'topic')})"
