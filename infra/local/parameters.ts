import type { Variables } from './config.ts';

/** Where the two services behind the system are, real or simulated. */
export type Services = {
  readonly slack: { readonly apiUrl: string; readonly ownAddress: boolean; readonly botUserId: string };
  readonly upstream: { readonly baseUrl: string; readonly visionUrl: string; readonly model: string };
};

/**
 * Values for the parameters of the template. Those that say where Slack and the models are come from `services`;
 * any other may be given as a variable of the same name in capitals: `HistoryDays` as HISTORY_DAYS.
 */
export function localParameters(
  names: readonly string[],
  services: Services,
  variables: Variables,
): Record<string, string> {
  const { slack, upstream } = services;
  const known: Readonly<Record<string, string | undefined>> = {
    SlackApiUrl: slack.apiUrl,
    SlackBotUserId: slack.botUserId,
    // Another Slack serves its files itself, unless told otherwise.
    SlackFilesHosts:
      given(variables, 'SLACK_FILES_HOSTS') ?? (slack.ownAddress ? new URL(slack.apiUrl).host : undefined),
    UpstreamBaseUrl: upstream.baseUrl,
    UpstreamVisionUrl: upstream.visionUrl,
    UpstreamModel: upstream.model,
  };
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = name in known ? known[name] : given(variables, variableOf(name));
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function given(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim();
  return value === '' ? undefined : value;
}

function variableOf(parameter: string): string {
  return parameter.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
}
