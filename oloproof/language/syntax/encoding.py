"""Bytes that are not a text: another encoding, a damaged one, too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from oloproof.language.diagnostics import Diagnostic, Rule
from oloproof.language.source import MAX_FILE_BYTES
from oloproof.language.syntax.lexer import TOO_LARGE

if TYPE_CHECKING:
    from oloproof.language.source import EncodingFault, Source

NOT_UTF8 = Rule("OLO002", "not-utf-8")


def encoding_fault(source: Source) -> Diagnostic | None:
    """What kept the bytes of a source from being read, told with byte offset and bytes."""
    fault = source.fault
    return None if fault is None else _told(source, fault)


def _told(source: Source, fault: EncodingFault) -> Diagnostic:
    span = source.span(fault.offset, min(fault.offset + 1, len(source.text)))
    match fault.kind:
        case "encoding":
            return Diagnostic(NOT_UTF8, f"this file is {fault.seen}", span, help="save it as UTF-8")
        case "bytes":
            message = f"byte {fault.byte_offset} is not UTF-8: {fault.seen}"
            return Diagnostic(
                NOT_UTF8,
                message,
                span,
                notes=("the offset counts from 0 at the first byte of the file; the bytes are hexadecimal",),
                help="save the file as UTF-8; it may be in a code page such as Windows-1252 now",
            )
        case "size":
            message = f"this file has {int(fault.seen):,} bytes; the limit is {MAX_FILE_BYTES:,}"
            return Diagnostic(TOO_LARGE, message, span, help="split the suite and import the parts")
        case _:
            assert_never(fault.kind)
