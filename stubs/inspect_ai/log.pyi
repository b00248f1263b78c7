from collections.abc import Mapping, Sequence

class EvalLogInfo:
    name: str

class Score:
    value: object

class EvalSample:
    id: int | str
    epoch: int
    scores: Mapping[str, Score] | None
    error: object | None

class EvalSpec:
    task: str
    model: str
    created: str

class EvalLog:
    status: str
    eval: EvalSpec
    samples: Sequence[EvalSample] | None

def list_eval_logs(log_dir: str = ..., *, recursive: bool = ..., descending: bool = ...) -> list[EvalLogInfo]: ...
def read_eval_log(log_file: EvalLogInfo | str, header_only: bool = ...) -> EvalLog: ...
