import { generateKeyPairSync, sign } from 'node:crypto';

/** A key pair of an application of our own: what Discord would sign with, and what it would show. */
export function applicationKeys() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const hex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  /** The headers that Discord sends with this body, signed at a moment in seconds. */
  const headers = (body: string | Uint8Array, seconds: number): Record<string, string> => ({
    'x-signature-timestamp': String(seconds),
    'x-signature-ed25519': sign(
      null,
      Buffer.concat([Buffer.from(String(seconds)), Buffer.from(body)]),
      privateKey,
    ).toString('hex'),
  });
  return { publicKey: hex, headers };
}
