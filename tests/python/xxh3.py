"""XXH3 (xxHash 0.8) in plain Python: 64 bits for any length, 128 bits for more than 240 bytes.

Slow, and for checks only. See https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
"""
M64 = (1 << 64) - 1
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def word(data, at, size=8):
    return int.from_bytes(data[at:at + size], "little")


def fold(a, b):
    product = a * b
    return (product & M64) ^ (product >> 64)


def avalanche(h):
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & M64
    return h ^ h >> 32


def avalanche64(h):
    h ^= h >> 33
    h = h * P64[1] & M64
    h ^= h >> 29
    h = h * P64[2] & M64
    return h ^ h >> 32


def rotate(h, by):
    return (h << by | h >> 64 - by) & M64


def short(data, seed):
    n = len(data)
    if n > 8:
        low = word(data, 0) ^ (word(SECRET, 24) ^ word(SECRET, 32)) + seed & M64
        high = word(data, n - 8) ^ (word(SECRET, 40) ^ word(SECRET, 48)) - seed & M64
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return avalanche(n + swapped + high + fold(low, high) & M64)
    if n >= 4:
        seed ^= int.from_bytes((seed & 0xFFFFFFFF).to_bytes(4, "little"), "big") << 32
        h = word(data, n - 4, 4) + (word(data, 0, 4) << 32)
        h ^= (word(SECRET, 8) ^ word(SECRET, 16)) - seed & M64
        h ^= rotate(h, 49) ^ rotate(h, 24)
        h = h * 0x9FB21C651E98DF25 & M64
        h ^= (h >> 35) + n
        h = h * 0x9FB21C651E98DF25 & M64
        return h ^ h >> 28
    if n:
        h = data[0] << 16 | data[n >> 1] << 24 | data[-1] | n << 8
        return avalanche64(h ^ (word(SECRET, 0, 4) ^ word(SECRET, 4, 4)) + seed & M64)
    return avalanche64(seed ^ word(SECRET, 56) ^ word(SECRET, 64))


def middle(data, seed):
    n = len(data)

    def mix(at, secret):
        low, high = word(SECRET, secret) + seed & M64, word(SECRET, secret + 8) - seed & M64
        return fold(word(data, at) ^ low, word(data, at + 8) ^ high)

    h = n * P64[0]
    if n <= 128:
        for step in reversed(range((n - 1) // 32 + 1)):
            h += mix(16 * step, 32 * step) + mix(n - 16 * (step + 1), 32 * step + 16)
        return avalanche(h & M64)
    for step in range(8):
        h += mix(16 * step, 16 * step)
    h = avalanche(h & M64)
    for step in range(8, n // 16):
        h += mix(16 * step, 16 * (step - 8) + 3)
    return avalanche(h + mix(n - 16, 136 - 17) & M64)


def accumulators(data, secret):
    n = len(data)
    acc = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def stripe(at, key):
        for i in range(8):
            value = word(data, at + 8 * i)
            keyed = value ^ word(secret, key + 8 * i)
            acc[i ^ 1] = acc[i ^ 1] + value & M64
            acc[i] = acc[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32) & M64

    for number in range((n - 1) // 64):
        stripe(64 * number, 8 * (number % 16))
        if number % 16 == 15:
            for i in range(8):
                acc[i] = (acc[i] ^ acc[i] >> 47 ^ word(secret, 128 + 8 * i)) * P32[0] & M64
    stripe(n - 64, 121)
    return acc


def merge(acc, secret, at, start):
    pairs = ((acc[2 * i] ^ word(secret, at + 16 * i), acc[2 * i + 1] ^ word(secret, at + 16 * i + 8)) for i in range(4))
    return avalanche(start + sum(fold(a, b) for a, b in pairs) & M64)


def xxh3_64(data, seed=0):
    if len(data) <= 16:
        return short(data, seed)
    if len(data) <= 240:
        return middle(data, seed)
    secret = SECRET
    if seed:
        parts = ((word(SECRET, 16 * i) + seed & M64, word(SECRET, 16 * i + 8) - seed & M64) for i in range(12))
        secret = b"".join(part.to_bytes(8, "little") for pair in parts for part in pair)
    return merge(accumulators(data, secret), secret, 11, len(data) * P64[0] & M64)


def xxh3_128(data):
    assert len(data) > 240, "shorter inputs are not needed here"
    acc = accumulators(data, SECRET)
    low = merge(acc, SECRET, 11, len(data) * P64[0] & M64)
    return low | merge(acc, SECRET, 192 - 64 - 11, ~(len(data) * P64[1]) & M64) << 64
