import { generateKeyPairSync, sign } from 'node:crypto';

/** A key pair of a test application: Discord would sign with it, and show its public key. */
export function applicationKeys() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const hex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  /** The headers of this body, signed by Discord at a time in seconds. */
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
