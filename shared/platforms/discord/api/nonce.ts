import { createHash } from 'node:crypto';

/** A nonce. If a message is posted again with it within minutes, Discord responds with the existing message. */
export const createNonce = (key: string) => ({ nonce: hash(key).slice(0, 24), enforce_nonce: true });

export const hash = (key: string): string => createHash('sha256').update(key).digest('hex');
