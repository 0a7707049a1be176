import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

/** An Ed25519 key pair in Discord's form: 32 bytes in hex. */
export type Keys = { readonly publicKey: string; readonly privateKey: string };

const PKCS8 = '302e020100300506032b657004220420';

/** Generates a pair. */
export function newKeys(): Keys {
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex').slice(PKCS8.length);
  return keysOf(seed);
}

/** The pair derived from these 32 bytes in hex. */
export function keysOf(privateKey: string): Keys {
  const der = createPublicKey(keyObject(privateKey)).export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: der.toString('hex').slice(-64) };
}

const keyObject = (privateKey: string) =>
  createPrivateKey({ key: Buffer.from(PKCS8 + privateKey, 'hex'), format: 'der', type: 'pkcs8' });

/** Discord's headers for a body: an Ed25519 signature, in hex, over the time in seconds and the body. */
export function signed(keys: Keys, ms: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(ms / 1_000));
  const signature = sign(null, Buffer.from(timestamp + body), keyObject(keys.privateKey)).toString('hex');
  return { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp };
}

/** Invalid headers, in one of the ways that Discord tests, or that are known to break apps. */
export function badlySigned(keys: Keys, ms: number, body: string): readonly Record<string, string>[] {
  const good = signed(keys, ms, body);
  const signature = good['x-signature-ed25519'] ?? '';
  const flipped = (signature.startsWith('0') ? '1' : '0') + signature.slice(1);
  const other = signed(newKeys(), ms, body);
  const forged = [flipped, '0'.repeat(128), signature.slice(1), 'zz'.repeat(64), ''];
  const { 'x-signature-timestamp': timestamp = '' } = good;
  return [
    other,
    ...forged.map((one) => ({ 'x-signature-ed25519': one, 'x-signature-timestamp': timestamp })),
    { 'x-signature-timestamp': timestamp },
    { 'x-signature-ed25519': signature },
    { 'x-signature-ed25519': signature, 'x-signature-timestamp': String(Number(timestamp) + 1) },
  ];
}
