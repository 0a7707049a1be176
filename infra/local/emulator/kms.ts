import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { AwsError } from './aws-endpoint.ts';
import type { AwsOperations } from './aws-endpoint.ts';

const context = v.optional(v.record(v.string(), v.string()), {});
const Encrypt = v.object({ KeyId: v.string(), Plaintext: v.string(), EncryptionContext: context });
const Decrypt = v.object({ KeyId: v.string(), CiphertextBlob: v.string(), EncryptionContext: context });

const MAX_DESCRIPTION_CHARS = 4_096;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Emulates KMS Encrypt and Decrypt with a symmetric key and an encryption context. Keys are derived from `secret`, so that
 * data encrypted before a restart can be decrypted after it.
 */
export function createKmsOperations(
  keys: readonly { readonly arn: string }[],
  secret: string,
): AwsOperations {
  const deriveKey = (id: string): Buffer => {
    const key = keys.find(({ arn }) => arn === id || arn.endsWith(`/${id}`));
    if (!key) throw new AwsError('NotFoundException', `Key '${id}' does not exist`);
    return Buffer.from(hkdfSync('sha256', secret, '', key.arn, 32));
  };
  return {
    'TrentService.Encrypt': (input) => {
      const { KeyId, Plaintext, EncryptionContext } = parseInput(Encrypt, input);
      const text = Buffer.from(Plaintext, 'base64');
      if (text.length === 0 || text.length > MAX_DESCRIPTION_CHARS) {
        throw new AwsError('ValidationException', `Plaintext must have 1 to ${MAX_DESCRIPTION_CHARS} bytes`);
      }
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', deriveKey(KeyId), nonce);
      cipher.setAAD(serializeContext(EncryptionContext));
      const ciphertext = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
      return {
        KeyId,
        CiphertextBlob: ciphertext.toString('base64'),
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      };
    },
    'TrentService.Decrypt': (input) => {
      const { KeyId, CiphertextBlob, EncryptionContext } = parseInput(Decrypt, input);
      const ciphertext = Buffer.from(CiphertextBlob, 'base64');
      const key = deriveKey(KeyId);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, ciphertext.subarray(0, NONCE_BYTES));
        decipher.setAAD(serializeContext(EncryptionContext));
        decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
        const text = Buffer.concat([
          decipher.update(ciphertext.subarray(NONCE_BYTES, -TAG_BYTES)),
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

function parseInput<T>(shape: v.GenericSchema<unknown, T>, input: unknown): T {
  const read = v.safeParse(shape, input);
  if (!read.success) throw new AwsError('ValidationException', 'A member is missing or of the wrong type');
  return read.output;
}

/** Serializes pairs independently of their order. */
const serializeContext = (pairs: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(pairs).toSorted(([a], [b]) => (a < b ? -1 : 1))));
