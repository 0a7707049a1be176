import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Probe, ProbeResult } from '../../configuration/index.ts';
import { AWS_UNREACHABLE, findAwsFix } from './aws-failure.ts';
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
  if (!value?.success) throw failed('read', id, response, account);
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
  if (response.kind !== 'answered' || response.status !== 200) throw failed('write', id, response, account);
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

/** A secret that was deleted answers with the first code for 7 to 30 days, and with the second from then on. Source: AWS Secrets Manager, DeleteSecret. */
const FIXES: Readonly<Record<string, (id: string) => string>> = {
  InvalidRequestException: (id) =>
    `It is marked for deletion: "aws secretsmanager restore-secret --secret-id ${id}" restores it. Then run this again.`,
  ResourceNotFoundException: () =>
    'It is gone for good, though the stack has it, and deploying again does not create it: docs/runbook.md#a-deleted-secret.',
};

/** Neither the secret nor what AWS says about it is part of the message. */
function failed(
  verb: 'read' | 'write',
  id: string,
  response: ProbeResult,
  { region }: AwsAccount,
): ConnectError {
  const code = readAwsError(response);
  const action = 'secretsmanager:GetSecretValue or PutSecretValue, or kms:Decrypt or GenerateDataKey';
  const fix =
    findAwsFix(response, code, { region, action }) ??
    FIXES[code]?.(id) ??
    (response.kind === 'unreachable' ? AWS_UNREACHABLE : undefined) ??
    'Try again. If the error remains, "npx parley doctor" checks the credentials.';
  return new ConnectError(`A secret could not be ${verb === 'read' ? 'read' : 'written'} (${code}). ${fix}`);
}
