import { describe, expect, test } from '@jest/globals';
import { createKmsOperations } from '../../infra/local/emulator/kms.ts';
import type { AwsCall } from '../../shared/aws/aws-request.ts';
import { createKmsEncryptor, DecryptionError } from '../../shared/aws/kms-encryption.ts';

const ARN = 'arn:aws:kms:us-east-1:000000000000:key/Seal';
const operations = createKmsOperations([{ arn: ARN }], 'secret of this folder');
const aws: AwsCall = async ({ target, input }) =>
  operations[target]?.(JSON.parse(input), new AbortController().signal);

describe('an encrypted text', () => {
  const encryptor = createKmsEncryptor(ARN, aws);

  test('can be decrypted after a restart, and does not contain the text', async () => {
    const sealed = await encryptor.encrypt('xoxb-tøken', 'slack-install#T1');
    expect(Buffer.from(sealed).toString('latin1')).not.toContain('xoxb');
    const again = createKmsOperations([{ arn: ARN }], 'secret of this folder');
    const later = createKmsEncryptor(ARN, async ({ target, input }) =>
      again[target]?.(JSON.parse(input), new AbortController().signal),
    );
    expect(await later.decrypt(sealed, 'slack-install#T1')).toBe('xoxb-tøken');
  });

  test('can only be decrypted with its context, and not after a change', async () => {
    const sealed = await encryptor.encrypt('xoxb-token', 'slack-install#T1');
    await expect(encryptor.decrypt(sealed, 'slack-install#T2')).rejects.toThrow('ciphertext');
    const altered = Uint8Array.from(sealed, (byte, index) => (index === sealed.length - 1 ? byte ^ 1 : byte));
    await expect(encryptor.decrypt(altered, 'slack-install#T1')).rejects.toThrow('ciphertext');
  });

  test('is rejected with another key, when empty, and when longer than 4,096 bytes', async () => {
    await expect(createKmsEncryptor('arn:other', aws).encrypt('x', 'a')).rejects.toThrow('does not exist');
    await expect(encryptor.encrypt('', 'a')).rejects.toThrow('4096');
    await expect(encryptor.encrypt('x'.repeat(4_097), 'a')).rejects.toThrow('4096');
  });

  test('throws DecryptionError for an unexpected response', async () => {
    const odd = createKmsEncryptor(ARN, () => Promise.resolve({ hello: 'there' }));
    await expect(odd.encrypt('x', 'a')).rejects.toThrow(DecryptionError);
    await expect(odd.decrypt(new Uint8Array(3), 'a')).rejects.toThrow(DecryptionError);
  });
});
