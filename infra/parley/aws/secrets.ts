import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Probe } from '../../configuration/index.ts';
import { ConnectError } from './deployment.ts';
import { type AwsAccount, readAwsError, sendSigned } from './signed-request.ts';

/** The content of a secret. */
export type SecretContent = Readonly<Record<string, unknown>>;

const valueSchema = v.object({ SecretString: v.string() });
const contentSchema = v.record(v.string(), v.unknown());

/** Reads a secret. A content that is not a JSON object counts as empty. Rejects with ConnectError. */
export async function readSecret(account: AwsAccount, id: string, probe: Probe): Promise<SecretContent> {
  const response = await call(account, 'GetSecretValue', { SecretId: id }, probe);
  const value = response.kind === 'answered' ? v.safeParse(valueSchema, response.json) : undefined;
  if (!value?.success) throw failed('read', response);
  try {
    return v.parse(contentSchema, JSON.parse(value.output.SecretString));
  } catch {
    return {};
  }
}

/** Writes a secret. AWS keeps its former version. Rejects with ConnectError. */
export async function writeSecret(
  account: AwsAccount,
  id: string,
  content: SecretContent,
  probe: Probe,
): Promise<void> {
  // With the token, AWS stores a repeated request once.
  const request = { SecretId: id, SecretString: JSON.stringify(content), ClientRequestToken: randomUUID() };
  const response = await call(account, 'PutSecretValue', request, probe);
  if (response.kind !== 'answered' || response.status !== 200) throw failed('write', response);
}

const call = (account: AwsAccount, target: string, content: SecretContent, probe: Probe) =>
  sendSigned(
    account,
    {
      service: 'secretsmanager',
      method: 'POST',
      path: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `secretsmanager.${target}`,
      },
      body: JSON.stringify(content),
    },
    probe,
  );

/** Neither the secret nor what AWS says about it is part of the message. */
const failed = (verb: 'read' | 'write', response: Parameters<typeof readAwsError>[0]): ConnectError =>
  new ConnectError(
    `A secret could not be ${verb === 'read' ? 'read' : 'written'} (${readAwsError(response)}). The credentials need secretsmanager:GetSecretValue and PutSecretValue, and kms:Decrypt and GenerateDataKey.`,
  );
