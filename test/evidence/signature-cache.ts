import * as crypto from 'node:crypto';
import { ComputedValues } from './computed-values.ts';

export { timingSafeEqual } from 'node:crypto';

const digests = new ComputedValues<Buffer>();

/** As in `node:crypto`, for what Slack signs: a text, then bytes. The caller does not change the digest. */
export const createHmac = (algorithm: string, key: string) => ({
  update: (text: string) => ({
    update: (bytes: Uint8Array) => ({
      digest: (): Buffer => {
        const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
        return digests.get(JSON.stringify([algorithm, key, text]) + body, () =>
          crypto.createHmac(algorithm, key).update(text).update(bytes).digest(),
        );
      },
    }),
  }),
});
