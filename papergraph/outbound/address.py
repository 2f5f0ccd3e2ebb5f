"""Which addresses are on the public internet, whatever they are wrapped in.

``ipaddress.is_global`` alone will not do: it is true of addresses that carry a private IPv4 address inside (NAT64,
6to4) and of multicast groups.
"""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
ISATAP = (0x00005EFE, 0x02005EFE)
Address = IPv4Address | IPv6Address


def check_address(text: str) -> Address:
    """Return an address if it, and every address inside it, is one of the public internet.

    Raises:
        ValueError: It is none, or one of this machine, a private network, a group or a reserved range.
    """
    address = ip_address(text.partition("%")[0])
    for each in unwrapped(address):
        site_local = isinstance(each, IPv6Address) and each.is_site_local
        if not each.is_global or each.is_multicast or each.is_reserved or each.is_unspecified or site_local:
            inside = "" if each == address else f", which leads to {each}"
            raise ValueError(f"{address}{inside} is not an address of the public internet")
    return address


def unwrapped(address: Address) -> list[Address]:
    """Return an address with those that it carries inside: mapped, 6to4, Teredo, NAT64 and ISATAP ones.

    A mapped address is nothing but the one inside.
    """
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    inside: list[Address] = []
    if address.sixtofour is not None:
        inside.append(address.sixtofour)
    if address.teredo is not None:
        inside += address.teredo
    number = int(address)
    if any(address in network for network in NAT64) or number >> 32 & 0xFFFFFFFF in ISATAP:
        inside.append(IPv4Address(number & 0xFFFFFFFF))
    if address in NAT64[0]:
        return inside  # Python takes the prefix for global; what counts is where it leads
    return [address, *inside]
