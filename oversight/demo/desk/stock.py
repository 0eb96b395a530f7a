"""What the ledger begins with: the desk's account and what customers bought.

Amounts are decimal text, in euros.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    number: str
    holder: str
    balance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """One paid order. The bank keeps `handling_fee` of a refund without saying so."""

    order: str
    customer: str
    goods: str
    paid: str
    handling_fee: str = "0.00"


def _bought(order: str, customer: str, goods: str, paid: str, *, fee: str = "0.00") -> Purchase:
    return Purchase(order=order, customer=customer, goods=goods, paid=paid, handling_fee=fee)


DESK = Account(number="desk", holder="Refund desk", balance="2500.00")

REHEARSAL = _bought("R-00001", "Nobody", "Nothing: rollbacks are rehearsed on it", "500.00")
"""An order that is refunded, and the refund taken back, whenever somebody rehearses that."""

PURCHASES = (
    _bought("N-20417", "Ingrid Sandvik", "Wool blanket, grey, and two cushion covers", "148.00"),
    _bought("N-20423", "Marek Zielinski", "Espresso grinder with steel burrs", "219.00"),
    _bought("N-20431", "Aoife Brennan", "Hiking boots, size 39", "164.50"),
    _bought("N-20438", "Paul Okafor", "Desk lamp, brass", "89.90"),
    _bought("N-20440", "Giulia Ferraro", "Pasta machine", "74.95"),
    _bought("N-20452", "Henrik Aalto", "Noise-cancelling headphones", "279.00", fee="4.20"),
    _bought("N-20459", "Camille Roussel", "Linen bed set, double", "132.00"),
    _bought("N-20463", "Dario Kovač", "Bicycle light, front and rear", "58.40"),
    _bought("N-20470", "Nora Weiss", "Standing desk, oak, 140 cm", "489.00"),
    _bought("N-20476", "Yusuf Demir", "Chef's knife, 20 cm", "96.00"),
    _bought("N-20481", "Sophie Laurent", "Rain jacket, size M", "118.00"),
    _bought("N-20488", "Tomás Herrera", "Two concert tickets, row 12", "156.00"),
    _bought("N-20493", "Elif Şahin", "Children's book box, six volumes", "42.60"),
    _bought("N-20497", "Peter Novák", "Cordless drill with two batteries", "184.00"),
    _bought("N-20502", "Maria Lindqvist", "Ceramic planters, set of three", "67.50"),
    _bought("N-20508", "Samuel Adeyemi", "Mechanical keyboard", "139.00", fee="2.10"),
    _bought("N-20513", "Hanna Virtanen", "Sauna thermometer and towel", "38.80"),
    _bought("N-20519", "Luca Moretti", "Road bike saddle", "112.00"),
    _bought("N-20524", "Zofia Kaminska", "Air purifier", "249.00"),
    _bought("N-20530", "Jonas Richter", "Camping stove and fuel", "79.00"),
    _bought("N-20537", "Amara Diallo", "Sewing machine, entry model", "198.00", fee="3.00"),
    _bought("N-20541", "Emily Carter", "Wireless door bell", "64.00"),
    _bought("N-20548", "Bram de Vries", "Electric kettle, 1.7 l", "54.90"),
    _bought("N-20555", "Katarzyna Wójcik", "Winter duvet, 200 by 220", "174.00"),
)
