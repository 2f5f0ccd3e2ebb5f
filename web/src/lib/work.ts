// Proof of work: a number that makes the sha-256 of a text begin with zero bits.
const AT_ONCE = 1000;

/** Whether bytes begin with so many zero bits. */
function begins(bytes: Uint8Array, bits: number): boolean {
  const whole = bits >> 3;
  for (let i = 0; i < whole; i += 1) if (bytes[i]) return false;
  return bytes[whole]! >> (8 - (bits & 7)) === 0;
}

/** Returns the number for `text.number`; hashes are made beside the page, which stays usable. About 2^bits tries.
 *  @throws Error the page is neither loaded by https nor from this machine */
export async function solve(text: string, bits: number, progress: (tries: number) => void): Promise<string> {
  if (!globalThis.crypto?.subtle) throw new Error("Open this page by https: the browser computes hashes only there.");
  const encoder = new TextEncoder();
  for (let start = 0; ; start += AT_ONCE) {
    const hashes = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => crypto.subtle.digest("SHA-256", encoder.encode(`${text}.${start + i}`))),
    );
    const found = hashes.findIndex((hash) => begins(new Uint8Array(hash), bits));
    if (found >= 0) return String(start + found);
    progress(start + AT_ONCE);
  }
}
