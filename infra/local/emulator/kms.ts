import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { AwsError } from './aws-endpoint.ts';
import type { AwsOperations } from './aws-endpoint.ts';

const context = z._default(z.record(z.string(), z.string()), {});
const Encrypt = z.object({ KeyId: z.string(), Plaintext: z.string(), EncryptionContext: context });
const Decrypt = z.object({ KeyId: z.string(), CiphertextBlob: z.string(), EncryptionContext: context });

const MAX_DESCRIPTION_CHARS = 4_096;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * KMS, as far as the functions use it: Encrypt and Decrypt with a symmetric key and a context. The keys are made from
 * `secret`, so that what was sealed before a restart opens after it.
 */
export function kmsOperations(keys: readonly { readonly arn: string }[], secret: string): AwsOperations {
  const getKey = (id: string): Buffer => {
    const key = keys.find(({ arn }) => arn === id || arn.endsWith(`/${id}`));
    if (!key) throw new AwsError('NotFoundException', `Key '${id}' does not exist`);
    return Buffer.from(hkdfSync('sha256', secret, '', key.arn, 32));
  };
  return {
    'TrentService.Encrypt': (input) => {
      const { KeyId, Plaintext, EncryptionContext } = read(Encrypt, input);
      const text = Buffer.from(Plaintext, 'base64');
      if (text.length === 0 || text.length > MAX_DESCRIPTION_CHARS) {
        throw new AwsError('ValidationException', `Plaintext must have 1 to ${MAX_DESCRIPTION_CHARS} bytes`);
      }
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', getKey(KeyId), nonce);
      cipher.setAAD(bytesOf(EncryptionContext));
      const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
      return { KeyId, CiphertextBlob: sealed.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    },
    'TrentService.Decrypt': (input) => {
      const { KeyId, CiphertextBlob, EncryptionContext } = read(Decrypt, input);
      const sealed = Buffer.from(CiphertextBlob, 'base64');
      const key = getKey(KeyId);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
        decipher.setAAD(bytesOf(EncryptionContext));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        const text = Buffer.concat([
          decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
          decipher.final(),
        ]);
        return {
          KeyId,
          Plaintext: text.toString('base64'),
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        };
      } catch {
        throw new AwsError('InvalidCiphertextException', 'The ciphertext is not of this key and context');
      }
    },
  };
}

function read<T>(shape: z.ZodMiniType<T>, input: unknown): T {
  const { success, data } = shape.safeParse(input);
  if (!success) throw new AwsError('ValidationException', 'A member is missing or of the wrong type');
  return data;
}

/** The same for the same pairs, in whatever order. */
const bytesOf = (pairs: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(pairs).toSorted(([a], [b]) => (a < b ? -1 : 1))));
