"""Turn a directory of invoices into one report per customer."""

from __future__ import annotations

import csv
import json
import logging
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Line:
    article: str
    quantity: int
    price: Decimal

    @property
    def total(self) -> Decimal:
        return self.quantity * self.price


@dataclass
class Invoice:
    number: str
    customer: str
    lines: list[Line] = field(default_factory=list)

    def total(self) -> Decimal:
        return sum((line.total for line in self.lines), Decimal("0.00"))


class InvoiceError(ValueError):
    """A file that holds no usable invoice."""


def read_invoice(path: Path) -> Invoice:
    with path.open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle, delimiter=";"))
    if not rows:
        raise InvoiceError(f"{path.name}: the file is empty")
    invoice = Invoice(number=path.stem, customer=rows[0]["customer"].strip())
    for index, row in enumerate(rows, start=2):
        try:
            line = Line(row["article"], int(row["quantity"]), Decimal(row["price"]))
        except (KeyError, ValueError, ArithmeticError) as error:
            raise InvoiceError(f"{path.name}, line {index}: {error}") from error
        invoice.lines.append(line)
    return invoice


def by_customer(folder: Path) -> dict[str, list[Invoice]]:
    found: dict[str, list[Invoice]] = defaultdict(list)
    for path in sorted(folder.glob("*.csv")):
        try:
            invoice = read_invoice(path)
        except InvoiceError as error:
            log.warning("skipped: %s", error)
            continue
        found[invoice.customer].append(invoice)
    return dict(found)


def write_report(folder: Path, target: Path) -> None:
    report = {
        customer: {
            "invoices": [invoice.number for invoice in invoices],
            "total": str(sum(invoice.total() for invoice in invoices)),
        }
        for customer, invoices in by_customer(folder).items()
    }
    target.write_text(json.dumps(report, indent=2, ensure_ascii=False), encoding="utf-8")
