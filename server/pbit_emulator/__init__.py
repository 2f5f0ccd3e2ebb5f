"""An emulated p-bit device: a process of its own that samples Ising problems by the protocol of docs/ising-device.md.

``gibbs``     the compiled sampler
``device``    what the device takes, what it does, and how it can be made to fail
``wire``      requests and answers
``emulator``  the HTTP application and its process

It imports nothing of the selection that asks it: the protocol is all that both sides know.
"""
