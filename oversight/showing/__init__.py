"""How a value of the engine looks on a page: words, text, numbers, times, differences.

Everything here is pure: values in, text or small frozen values out. Nothing reads the database.
"""
