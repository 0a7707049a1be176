import * as v from 'valibot';
import type { AwsCall } from './aws-request.ts';

/**
 * Encrypts secrets before they are stored: tokens and API keys of people. A ciphertext can only be decrypted
 * with the context (such as `slack-install#T1`) it was encrypted with. Both reject with AwsError, or with
 * DecryptionError for an unknown ciphertext or another context.
 */
export type Encryptor = {
  /** At most 4,096 bytes in UTF-8: the limit of KMS. */
  encrypt(text: string, context: string): Promise<Uint8Array>;
  decrypt(ciphertext: Uint8Array, context: string): Promise<string>;
};

/** KMS returned an unexpected response. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

const encryptResponse = v.object({ CiphertextBlob: v.string() });
const decryptResponse = v.object({ Plaintext: v.string() });

/**
 * Encrypts with a KMS key, which never leaves KMS. AWS logs KMS calls with the context, never with the text.
 */
export function createKmsEncryptor(keyId: string, aws: AwsCall): Encryptor {
  return {
    async encrypt(text, context) {
      const Plaintext = Buffer.from(text, 'utf8').toString('base64');
      const input = JSON.stringify({ KeyId: keyId, Plaintext, EncryptionContext: { about: context } });
      const answer = await aws({ service: 'kms', target: 'TrentService.Encrypt', input });
      if (!v.is(encryptResponse, answer)) throw new DecryptionError('KMS gave no ciphertext');
      return Buffer.from(answer.CiphertextBlob, 'base64');
    },
    async decrypt(bytes, context) {
      const CiphertextBlob = Buffer.from(bytes).toString('base64');
      const input = JSON.stringify({ KeyId: keyId, CiphertextBlob, EncryptionContext: { about: context } });
      const answer = await aws({ service: 'kms', target: 'TrentService.Decrypt', input });
      if (!v.is(decryptResponse, answer)) throw new DecryptionError('KMS gave no text');
      return Buffer.from(answer.Plaintext, 'base64').toString('utf8');
    },
  };
}
