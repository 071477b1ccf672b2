#!/usr/bin/env python3
"""Makes the PDFs of tests/formats/pdf.rs: pip install reportlab fpdf2, then make.py here."""
from fpdf import FPDF
from fpdf.enums import AccessPermission
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen import canvas

LEFT = ["Relevance de-", "cides which sentences", "a model reads, and the", "others are left out. A"]
RIGHT = ["second column is read", "after the first one. It", "ends here.", "Another paragraph."]


def report(path):
    page = canvas.Canvas(path, pagesize=A5, pageCompression=1, invariant=1)
    for number in range(1, 5):
        page.setFont("Times-Italic", 8)
        page.drawString(40, 570, "Canopy, a report")
        page.drawString(360, 20, f"Page {number}")
        if number == 1:
            page.setFont("Times-Bold", 18)
            page.drawString(40, 530, "How documents are read")
            page.setFont("Times-Roman", 10)
            for row, (left, right) in enumerate(zip(LEFT, RIGHT)):
                page.drawString(40, 490 - 12 * row, left)
                page.drawString(220, 490 - 12 * row - (8 if row == 3 else 0), right)
        elif number == 2:
            page.setFont("Times-Bold", 14)
            page.drawString(40, 530, "Lists & <marks>")
            page.setFont("Times-Roman", 10)
            for row, (x, text) in enumerate([(40, "• The first item goes on in a line that"), (50, "hangs below its text."),
                                             (40, "• The second one is short."), (40, "A paragraph ends on the next")]):
                page.drawString(x, 500 - 12 * row, text)
        elif number == 3:
            page.setFont("Times-Roman", 10)
            page.drawString(40, 530, "page, where it goes on.")
            page.saveState()
            page.translate(380, 300)
            page.rotate(90)
            page.drawString(0, 0, "In the margin")
            page.restoreState()
        else:
            page.setFont("Times-Roman", 10)
            page.drawString(40, 530, "The end.")
        page.showPage()
    page.save()


def picture(path):
    page = canvas.Canvas(path, pagesize=A5, invariant=1)
    page.rect(40, 40, 100, 100, fill=1)
    page.showPage()
    page.save()


def locked(path):
    page = FPDF()
    page.set_encryption(owner_password="owner", user_password="user", permissions=AccessPermission.none())
    page.add_page()
    page.set_font("Times")
    page.cell(text="Nobody reads this.")
    page.output(path)


report("report.pdf")
picture("picture.pdf")
locked("locked.pdf")
