"""Why nobody is signed in. The messages are for the log of the process; none quotes a token."""


class OutOfReach(Exception):
    """The provider does not answer, or with something that is of no use: try again later."""


class NotBelieved(Exception):
    """What came back does not show who somebody is."""


class Declined(Exception):
    """The provider let nobody in: whoever it was gave up there, or may not use this."""
