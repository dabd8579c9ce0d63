"""A gate in sentences: what each check found, and whether the change may ship."""

from __future__ import annotations

from ragstone.experiments.gate.decide import GateReport
from ragstone.experiments.gate.margins import GateCheck
from ragstone.metrics import parse
from ragstone.reports.comparison.words import change_text
from ragstone.reports.words import (
    count,
    cut_off_text,
    duration,
    label,
    measurements_text,
    reason_text,
    reasons_text,
    value_text,
)
from ragstone.stats.gate import Outcome

WORDS: dict[Outcome, str] = {"pass": "pass", "fail": "fail", "not_enough": "not enough evidence"}

_HOPELESS = 1_000_000


def size(name: str, amount: float) -> str:
    """Return the size of a difference in words: points where a metric goes from 0 to 1, ms or s for latencies.

    Example:
        >>> size("Hit@5", 0.012), size("nDCG@10", 0.03), size("latency_p95", 500)
        ('1.2 points', '3 points', '500 ms')
    """
    metric = parse(name)
    if metric.family == "latency":
        return duration(round(amount, 1))
    return change_text(metric, amount).replace(".0 point", " point")


def title(check: GateCheck) -> str:
    """Return what a check is called: its subject and rule.

    Example:
        >>> title(GateCheck(kind="margin", subject="nDCG@10", metric="nDCG@10", rule="0.03", outcome="pass"))
        'nDCG@10, margin 0.03'
    """
    metric = "" if check.metric is None else label(check.metric)
    titles = {
        "margin": f"{metric}, margin {check.rule}",
        "drop": f"{metric}, drop of at most {check.rule}",
        "threshold": f"{metric} {check.rule}",
        "must_pass": f"question {check.subject}, {metric} {check.rule}",
        "questions": f"at least {check.rule} questions",
        "complete": f"all questions asked of the {check.subject}",
        "failures": "no failed searches left out",
    }
    return titles[check.kind]


def check_sentence(check: GateCheck) -> str:
    """Return what a check found; whether to ship is the gate's verdict and not said here.

    Example:
        >>> found = {"kind": "margin", "subject": "Hit@5", "metric": "Hit@5", "n": 200, "allowed": 0.03}
        >>> check_sentence(GateCheck(outcome="pass", gain_low=-0.012, gain_high=0.02, **found))
        'Within the margin: at worst it is 1.2 points below the baseline, and you allowed 3.'
        >>> check_sentence(GateCheck(outcome="not_enough", gain_low=-0.06, gain_high=0.02, to_settle=140, **found))
        'Cannot say yet: it may be up to 6 points worse; about 140 more questions would settle it.'
    """
    said = {
        "margin": _margin,
        "drop": _drop,
        "threshold": _threshold,
        "must_pass": _must_pass,
        "questions": _questions,
        "complete": _complete,
        "failures": _failures,
    }[check.kind](check)
    unmeasured = f" {_unmeasured(check)}" if check.unmeasured else ""
    cut_off = f" {_cut_off(check)}" if check.cut_off or check.cut_off_baseline else ""
    left_out = f" {reasons_left_out(check)}" if check.left_out else ""
    return said + unmeasured + cut_off + left_out


def _unmeasured(check: GateCheck) -> str:
    """Say why a latency is not enough evidence, however short it is."""
    searches = "1 failed search has" if check.unmeasured == 1 else f"{check.unmeasured:,} failed searches have"
    return (
        f"But {searches} no latency, and may have been the slow ones: cannot say until max_error_rate in the "
        "policy says how many may fail."
    )


def _cut_off(check: GateCheck) -> str:
    """Say which searches ran into the time limit, and so hide how long they take."""
    both = [("", check.cut_off), ("of the baseline ", check.cut_off_baseline)]
    said = " and ".join(f"{whose}{cut_off_text(found)}" for whose, found in both if found)
    longer = "; a longer timeout_seconds would show how long they take" if check.outcome == "not_enough" else ""
    return f"Of these searches {said}{longer}."


def reasons_left_out(check: GateCheck) -> str:
    """Say how many questions one run alone has a score for."""
    n = sum(check.left_out.values())
    verb = "is" if n == 1 else "are"
    return f"{count(n, 'question')} {verb} left out, scored in one run alone: {reasons_text(check.left_out)}."


def _margin(check: GateCheck) -> str:
    name = str(check.metric)
    cut_off = check.cut_off or check.cut_off_baseline
    if check.allowed is None or (check.gain_low is None and check.gain_high is None and not cut_off):
        return _too_few(check)
    allowed = _allowed(check)
    if check.gain_low is None and check.outcome == "not_enough":
        return "Cannot say yet: how much worse it may be is not known."
    if check.outcome == "pass":
        return f"Within the margin: {_at_worst(check, allowed)}."
    if check.outcome == "fail":
        loss = -(check.gain_high or 0.0)
        at_best, side = size(name, loss), _side(check)
        if loss <= check.allowed:
            return f"A proven loss: it is at least {at_best} worse than the baseline, and strict allows none."
        return f"Beyond the margin: even at best it is {at_best} {side} the baseline, and you allowed {allowed}."
    return f"Cannot say yet: it may be up to {size(name, -(check.gain_low or 0.0))} worse; {_settles(check)}."


def _allowed(check: GateCheck) -> str:
    """Return the accepted loss, without a word that stood in the sentence before."""
    return size(str(check.metric), check.allowed or 0.0).removesuffix(" points").removesuffix(" point")


def _side(check: GateCheck) -> str:
    return "below" if parse(str(check.metric)).traits.higher_is_better else "above"


def _at_worst(check: GateCheck, allowed: str) -> str:
    name, low = str(check.metric), check.gain_low or 0.0
    if size(name, abs(low)) == size(name, 0.0):
        return f"at worst it is level with the baseline, and you allowed {allowed}"
    if low > 0:
        return f"it is better than the baseline, by {size(name, low)} at least"
    return f"at worst it is {size(name, -low)} {_side(check)} the baseline, and you allowed {allowed}"


def _too_few(check: GateCheck) -> str:
    more = "" if check.to_settle is None else f"; that takes about {check.to_settle:,} more"
    if not check.n:
        return "Cannot say yet: no question has a score in both runs."
    return f"Cannot say yet: {count(check.n, 'question')} cannot tell how far they are apart{more}."


def _settles(check: GateCheck, mark: str = "margin") -> str:
    if check.to_settle is None or check.to_settle > _HOPELESS:
        return f"what was measured is so near the {mark} that more questions will hardly settle it"
    verb = "would settle it"
    return f"about {check.to_settle:,} more {'question' if check.to_settle == 1 else 'questions'} {verb}"


def _drop(check: GateCheck) -> str:
    name = str(check.metric)
    if check.gain is None or check.allowed is None:
        return "Cannot say yet: no question has a score in both runs."
    first, second = (one is not None and one.reached for one in (check.cut_off_baseline, check.cut_off))
    before, after = (
        value_text(name, check.baseline, at_least=first),
        value_text(name, check.candidate, at_least=second),
    )
    values = f"from {before} to {after}"
    if check.outcome == "not_enough":
        return f"Cannot say yet: {values}, and you allowed {_allowed(check)}."
    if check.gain >= 0:
        return f"It did not get worse: {values}."
    verdict = "that much is allowed" if check.outcome == "pass" else f"you allowed {_allowed(check)}"
    return f"It got worse by {size(name, -check.gain)}, {values}; {verdict} (measured values, without statistics)."


def _threshold(check: GateCheck) -> str:
    name = label(str(check.metric))
    if check.candidate is None:
        why = f" ({reason_text(check.reason)})" if check.reason else ""
        return f"{name} could not be computed{why}, and must be {check.rule}."
    value = value_text(str(check.metric), check.candidate)
    if check.cut_off is not None and check.cut_off.reached:
        value = f"at least {value}"
    asked = f"over {count(check.n, 'question')}"
    if check.asked is not None:
        asked = measurements_text(check.n, check.asked)
    if not check.interval:
        return f"{name} is {value} {asked}, and must be {check.rule} (measured value, without statistics)."
    found = f"{name} is {value} {asked}, {_between(check)}, and must be {check.rule}"
    if check.outcome != "not_enough" or check.unmeasured:
        return f"{found}."
    if check.cut_off is not None and check.to_settle is None:
        return f"Cannot say yet: {found}."
    return f"Cannot say yet: {found}; {_settles(check, 'bound')}."


def _between(check: GateCheck) -> str:
    """Return where the true value may lie."""
    low, high = (None if end is None else value_text(str(check.metric), end) for end in (check.low, check.high))
    if low is None or high is None:
        return "which is too few to tell its limits" if low == high else f"truly {_open_end(low, high)}"
    return f"truly between {low} and {high}"


def _open_end(low: str | None, high: str | None) -> str:
    return f"at least {low}" if high is None else f"at most {high}"


def _must_pass(check: GateCheck) -> str:
    if check.outcome == "not_enough":
        return "The question was not asked yet."
    if check.candidate is None or (check.reason and check.outcome == "fail"):
        return f"Its search failed ({(check.reason or 'error').replace('_', ' ')})."
    return f"{label(str(check.metric), single=True)} is {check.candidate:g}, and must be {check.rule}."


def _questions(check: GateCheck) -> str:
    more = f"; {count(check.to_settle, 'more', 'more')} needed" if check.to_settle else ""
    return f"{count(check.n, 'question')} asked, and {check.rule} wanted{more}."


def _complete(check: GateCheck) -> str:
    todo = count(check.to_settle or 0, "question")
    if check.reason:
        return f"{todo} not asked, because the run failed: {check.reason}."
    return f"{todo} not asked; `ragstone resume {check.run}` asks them."


def _failures(check: GateCheck) -> str:
    return (
        f"{count(check.n, 'question')} with a failed search, which the benchmark leaves out of its scores; "
        f"`ragstone resume {check.run} --failed` asks again; max_error_rate in a policy says how many may fail."
    )


def next_step(report: GateReport) -> str:
    """Return how to see what changed, where a comparison is the trouble; else an empty string."""
    compared = any(check.kind in ("margin", "drop") and check.outcome != "pass" for check in report.checks)
    if report.baseline is None or not compared:
        return ""
    return f"`ragstone compare {report.baseline.id} {report.candidate.id}` lists the questions that changed."


def verdict_word(report: GateReport) -> str:
    """Return the gate's verdict in a word or three."""
    return {"pass": "passed", "fail": "failed", "not_enough": "not enough evidence"}[report.outcome]


def verdict_sentence(report: GateReport) -> str:
    """Return whether the change may ship, and why; it is called safe only where chance was asked."""
    total = count(len(report.checks), "check")
    if report.outcome == "pass":
        return f"Safe to ship: {total} passed." if report.statistical else _all_met(report)
    troubled = report.having(report.outcome)
    names = "; ".join(title(check) for check in troubled[:3])
    more = f" and {len(troubled) - 3} more" if len(troubled) > 3 else ""
    if report.outcome == "fail":
        return f"Do not ship: {len(troubled)} of {total} failed ({names}{more})."
    more_questions = report.to_settle or 0
    known = 0 < more_questions <= _HOPELESS
    settled = f"; about {count(more_questions, 'more question')} would settle it" if known else ""
    warning = "; by the policy this is a warning only" if not report.blocks else ""
    return f"Cannot say yet: too little evidence in {len(troubled)} of {total} ({names}{more}){settled}{warning}."


def _all_met(report: GateReport) -> str:
    what = "thresholds" if all(check.kind == "threshold" for check in report.checks) else "rules"
    return f"All {what} are met by the measured values, without statistics."
