import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { AwsError } from './aws-endpoint.ts';
import type { AwsOperations } from './aws-endpoint.ts';

/** A secret of the template and its local value. */
export type LocalSecret = { readonly arn: string; readonly name: string; readonly value: string };

const GetSecretValue = v.object({ SecretId: v.string(), VersionStage: v.optional(v.string()) });

/** Emulates Secrets Manager: returns the current value of a secret by ARN or name. */
export function createSecretOperations(secrets: readonly LocalSecret[]): AwsOperations {
  return {
    'secretsmanager.GetSecretValue': (input) => {
      const parsed = v.safeParse(GetSecretValue, input);
      if (!parsed.success) throw new AwsError('InvalidParameterException', 'SecretId is missing');
      const id = parsed.output.SecretId;
      const secret = secrets.find(({ arn, name }) => arn === id || name === id);
      if (secret === undefined || (parsed.output.VersionStage ?? 'AWSCURRENT') !== 'AWSCURRENT') {
        throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
      }
      return {
        ARN: secret.arn,
        Name: secret.name,
        SecretString: secret.value,
        VersionId: createHash('sha256').update(secret.value).digest('hex').slice(0, 32),
        VersionStages: ['AWSCURRENT'],
      };
    },
  };
}
