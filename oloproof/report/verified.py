"""What checking a bundle came to, for people and for programs. Everything from the bundle is escaped."""

from __future__ import annotations

from oloproof.canon.encoding import Json
from oloproof.report.diagnostics import escape
from oloproof.stages.attest.verdict import FailureClass, Report

FORMAT_VERSION = 1


def verified_text(report: Report) -> str:
    """The report for people; the verdict stands last, so that a cut output never looks verified."""
    lines = [f"  {item.level:<10} {item.standing}: {escape(item.reason)}" for item in report.levels]
    lines.extend(f"{item.failure_class.name} {escape(item.place)}: {escape(item.reason)}" for item in report.failures)
    lines.extend(f"note: {escape(notice)}" for notice in report.notices)
    lines.extend(f"signed by {escape(item.principal)} ({escape(item.keyid)})" for item in report.signers)
    lines.extend(
        f"subject {escape(item.name)} {', '.join(f'{escape(k)}:{escape(v)}' for k, v in item.digests.items())}"
        for item in report.subjects
    )
    states = [f"{escape(item.gate)} {item.state}{' (advisory)' if item.advisory else ''}" for item in report.states]
    if report.is_verified:
        lines.extend(f"gate {state}" for state in states)
        lines.append(f"verified at level {report.required}: recommendation {report.action}")
    elif report.exit_code == FailureClass.NOT_ACCEPTED:
        lines.extend(f"gate {state}" for state in states)
        lines.append(f"verified at level {report.required}, and not accepted (exit code {report.exit_code})")
    else:
        code = report.exit_code
        name = FailureClass(code).name if code in FailureClass._value2member_map_ else "NOT VERIFIED"
        lines.append(f"not verified at level {report.required}: {name} (exit code {code})")
    return "\n".join(lines) + "\n"


def verified_json(report: Report) -> dict[str, Json]:
    """The report for programs, with every failure."""
    return {
        "action": report.action,
        "claimed_signed_at": report.claimed_signed_at,
        "exit_code": report.exit_code,
        "failures": [
            {
                "class": item.failure_class.name,
                "level": item.level,
                "place": item.place,
                "reason": item.reason,
            }
            for item in report.failures
        ],
        "format_version": FORMAT_VERSION,
        "gates": [{"advisory": item.advisory, "id": item.gate, "state": item.state} for item in report.states],
        "levels": {item.level.value: {"reason": item.reason, "standing": item.standing} for item in report.levels},
        "notices": list(report.notices),
        "plan_hash": report.plan_hash,
        "required": report.required,
        "signers": [
            {"keyid": item.keyid, "own": item.is_own, "principal": item.principal, "roles": list(item.roles)}
            for item in report.signers
        ],
        "subjects": [{"digest": dict(item.digests), "name": item.name} for item in report.subjects],
        "verified": report.is_verified,
    }
