import * as v from 'valibot';
import type { AwsCall } from './aws-request.ts';

/**
 * Keeps what must not lie readable in a table: tokens and keys that people bring along. What is sealed for one purpose
 * (`about`, such as `slack-install#T1`) opens for that purpose alone. Both reject with AwsError, or with DecryptionFailed for
 * what was not sealed here, or for another purpose.
 */
export type Encryptor = {
  /** At most 4,096 bytes as UTF-8: what KMS takes. */
  seal(text: string, about: string): Promise<Uint8Array>;
  open(sealed: Uint8Array, about: string): Promise<string>;
};

/** What KMS gave back is not what it should be. */
export class DecryptionFailed extends Error {
  override readonly name = 'NotSealed';
}

const sealed = v.object({ CiphertextBlob: v.string() });
const opened = v.object({ Plaintext: v.string() });

/** By a key of KMS, which never leaves it. Calls of KMS are logged by AWS with `about`, never with the text. */
export function kmsEncryptor(keyId: string, aws: AwsCall): Encryptor {
  return {
    async seal(text, about) {
      const Plaintext = Buffer.from(text, 'utf8').toString('base64');
      const input = JSON.stringify({ KeyId: keyId, Plaintext, EncryptionContext: { about } });
      const answer = await aws({ service: 'kms', target: 'TrentService.Encrypt', input });
      if (!v.is(sealed, answer)) throw new DecryptionFailed('KMS gave no ciphertext');
      return Buffer.from(answer.CiphertextBlob, 'base64');
    },
    async open(bytes, about) {
      const CiphertextBlob = Buffer.from(bytes).toString('base64');
      const input = JSON.stringify({ KeyId: keyId, CiphertextBlob, EncryptionContext: { about } });
      const answer = await aws({ service: 'kms', target: 'TrentService.Decrypt', input });
      if (!v.is(opened, answer)) throw new DecryptionFailed('KMS gave no text');
      return Buffer.from(answer.Plaintext, 'base64').toString('utf8');
    },
  };
}
