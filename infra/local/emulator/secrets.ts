import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { AwsError } from './aws-endpoint.ts';
import type { AwsOperations } from './aws-endpoint.ts';

/** A secret of the template and its local value. */
export type LocalSecret = { readonly arn: string; readonly name: string; readonly value: string };

const GetSecretValue = z.object({ SecretId: z.string(), VersionStage: z.optional(z.string()) });

/** Emulates Secrets Manager: returns the current value of a secret by ARN or name. */
export function createSecretOperations(secrets: readonly LocalSecret[]): AwsOperations {
  return {
    'secretsmanager.GetSecretValue': (input) => {
      const asked = GetSecretValue.safeParse(input);
      if (!asked.success) throw new AwsError('InvalidParameterException', 'SecretId is missing');
      const id = asked.data.SecretId;
      const secret = secrets.find(({ arn, name }) => arn === id || name === id);
      if (secret === undefined || (asked.data.VersionStage ?? 'AWSCURRENT') !== 'AWSCURRENT') {
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
