import { isDeepStrictEqual } from 'node:util';
import { getValue, type Probe, type Variables } from '../../configuration/index.ts';
import type { Outputs } from '../aws/deployment.ts';
import { readSecret, type SecretContent as Content, writeSecret } from '../aws/secrets.ts';
import type { AwsAccount } from '../aws/signed-request.ts';

type SecretRule = {
  /** The output with the ARN. */
  readonly output: string;
  /** The variable with the credential. */
  readonly variable: string;
  /** Puts the credential into the content, and keeps what else is there. */
  readonly set: (content: Content, value: string) => Content;
};

/** The form of a signing secret of Slack. The one that a deployment starts with is random and of another form. */
const SIGNING_SECRET = /^[0-9a-f]{32}$/;

const RULES: readonly SecretRule[] = [
  {
    output: 'SlackSigningSecret',
    variable: 'SLACK_SIGNING_SECRET',
    // Slack may still sign with the old one for a while. One that was replaced does not come back: the new one would be lost.
    set: (content, current) => {
      const { current: before, previous } = content;
      if ([before, previous].includes(current)) return content;
      return typeof before === 'string' && SIGNING_SECRET.test(before)
        ? { current, previous: before }
        : { current };
    },
  },
  {
    output: 'SlackBotSecret',
    variable: 'SLACK_BOT_TOKEN',
    set: (content, botToken) => (content['botToken'] === botToken ? content : { botToken }),
  },
  {
    output: 'DiscordBotSecret',
    variable: 'DISCORD_BOT_TOKEN',
    set: (content, botToken) => ({ ...content, botToken }),
  },
  {
    output: 'UpstreamSecret',
    variable: 'UPSTREAM_API_KEY',
    // A key in `more` was added, or replaced by "parley keys rotate". As `apiKey` it would overwrite the current key.
    set: (content, apiKey) =>
      Array.isArray(content['more']) && content['more'].includes(apiKey) ? content : { ...content, apiKey },
  },
  {
    output: 'UpstreamSecret',
    variable: 'SEARCH_API_KEY',
    set: (content, searchKey) => ({ ...content, searchKey }),
  },
];

/** The variables whose credentials are stored. */
export const STORED_VARIABLES: readonly string[] = RULES.map(({ variable }) => variable);

/** What happened to a secret. */
export type StoredSecret = {
  readonly variable: string;
  readonly result: 'stored' | 'unchanged' | 'not-set';
};

/**
 * Stores the credentials of the variables in the secrets of a deployment. A credential that is not set, and one that is stored
 * already, is left as it is. AWS keeps the former version of a secret. Rejects with ConnectError.
 */
export async function storeSecrets(
  account: AwsAccount,
  outputs: Outputs,
  variables: Variables,
  probe: Probe,
): Promise<readonly StoredSecret[]> {
  const results: StoredSecret[] = [];
  for (const { output, variable, set } of RULES) {
    const value = getValue(variables, variable);
    const id = outputs[output];
    if (value === undefined || id === undefined) {
      results.push({ variable, result: 'not-set' });
      continue;
    }
    const before = await readSecret(account, id, probe);
    const after = set(before, value);
    const isSame = isDeepStrictEqual(before, after);
    if (!isSame) await writeSecret(account, id, after, probe);
    results.push({ variable, result: isSame ? 'unchanged' : 'stored' });
  }
  return results;
}
