import {
  type Check,
  CONFIG_TOKEN,
  getValue,
  type Probe,
  readAppIdOfToken,
  type SlackChoice,
  type Variables,
} from '../../configuration/index.ts';
import { checkCallback, slackCallback } from './checks/check-callback.ts';
import { countRejectedRequests, evaluateSigningSecret } from './checks/check-signatures.ts';
import { checkSlackChannel } from './checks/check-slack-channel.ts';
import { checkSlackManifest } from './checks/check-slack-manifest.ts';
import type { DoctorInput } from './doctor-input.ts';

type RealSlack = Exclude<SlackChoice, { readonly kind: 'simulated' }>;

/** Checks the settings of the app, the signing secret and a channel. The token has been accepted. */
export async function checkSlackSetup(
  {
    environment,
    engineLog,
    slackChannel,
    now,
  }: Pick<DoctorInput, 'environment' | 'engineLog' | 'slackChannel' | 'now'>,
  slack: RealSlack,
  variables: Variables,
  appIdOfBot: string | undefined,
  probe: Probe,
): Promise<Check[]> {
  const appId = appIdOfBot ?? (slack.kind === 'socket' ? readAppIdOfToken(slack.appToken) : undefined);
  const expected = { kind: slack.kind, appId, command: getValue(variables, 'SLACK_COMMAND') ?? '/parley' };
  const configToken = getValue(environment, CONFIG_TOKEN);
  const { checks, requestUrl } = await checkSlackManifest(slack.apiUrl, configToken, expected, probe);
  return [
    ...checks,
    ...(slack.kind === 'posted' ? [evaluateSigningSecret(countRejectedRequests(engineLog, now()))] : []),
    ...(slack.kind === 'posted' && requestUrl !== undefined
      ? [await checkCallback(slackCallback(requestUrl, now()), probe)]
      : []),
    ...(slackChannel === undefined ? [] : [await checkSlackChannel(slack, slackChannel, probe)]),
  ];
}
