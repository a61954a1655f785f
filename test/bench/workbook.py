"""Writes the workbook of the documents bench, or reads it with openpyxl and prints how many letters it holds."""

import datetime
import sys

import openpyxl
from openpyxl.cell import WriteOnlyCell

WORDS = ["pallet", "box", "envelope", "paper", "transport", "north depot", "south depot"]


def write(path):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    for row in range(20_000):
        day = WriteOnlyCell(sheet, datetime.date(2020, 1, 1) + datetime.timedelta(days=row % 2000))
        day.number_format = "dd.mm.yyyy"
        amount = WriteOnlyCell(sheet, (row * 7919 % 99_999) / 100)
        amount.number_format = "#,##0.00"
        words = [WORDS[(row * factor) % len(WORDS)] for factor in (1, 3, 5)]
        sheet.append(
            [row, day, words[0], f"INV-{row:06}", row % 500, amount, row / 7, row % 2 == 0, words[1], f"{words[2]} {row}"]
        )
    book.save(path)


def read(path):
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    letters = 0
    for sheet in book:
        for row in sheet.iter_rows(values_only=True):
            letters += sum(len("".join(str(value).split())) for value in row if value is not None)
    print(letters)


{"write": write, "read": read}[sys.argv[1]](sys.argv[2])
