import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlackSimulator, SlackSimulatorOptions } from '../../../test/simulators/slack/index.ts';
import type { UpstreamSimulator, UpstreamSimulatorOptions } from '../../../test/simulators/upstream/index.ts';
import type { SlackApp, SlackBot, SlackChoice, UpstreamChoice } from '../../configuration/index.ts';
import { rememberSlackPort } from './identity.ts';
import type { Identity } from './identity.ts';

/** The simulated models answer with the name of one that does not show its thoughts. */
const SIMULATED_MODEL = 'vendor-edge-2603';

/** Slack as the system sees it, real or simulated. */
export type SlackSide = {
  readonly apiUrl: string;
  readonly signingSecret: string;
  readonly botToken: string;
  /** Empty where it is not known: events name it. */
  readonly botUserId: string;
  readonly teamId: string | null;
  /** The simulated Slack's app, as its other workspaces install it. */
  readonly app?: SlackApp;
  readonly simulator?: SlackSimulator;
};

/** The models as the system sees them, real or simulated. */
export type UpstreamSide = {
  readonly baseUrl: string;
  readonly visionUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly simulator?: UpstreamSimulator;
};

export type SlackSimulation = {
  readonly directory: string;
  readonly host: string;
  readonly identity: Identity;
  readonly options: SlackSimulatorOptions;
  readonly note: (line: string) => void;
};

/** Starts the simulated Slack on the port it had last, or any free one; with its messages of last time. */
export async function simulatedSlack({
  directory,
  host,
  identity,
  options,
  note,
}: SlackSimulation): Promise<SlackSide> {
  const { appOf, startSlackSimulator } = await import('../../../test/simulators/slack/index.ts');
  const { signingSecret, botToken, slackPort } = identity;
  const app = { clientId: '10.20', clientSecret: `${signingSecret}-app` };
  const start = async (port: number) =>
    startSlackSimulator({
      host,
      port,
      signingSecret,
      botToken,
      oauth: app,
      file: join(directory, 'slack.jsonl'),
      onFailure: (failure) => note(`simulated Slack: an event was not taken: ${failure.reason}`),
      ...options,
      identity: { ...appOf(await slackManifest()), ...options.identity },
    });
  const simulator = await start(slackPort).catch((error: unknown) => {
    if (slackPort === 0) throw error;
    return start(0);
  });
  rememberSlackPort(directory, identity, Number(new URL(simulator.url).port));
  const { apiUrl, botUserId, teamId } = simulator;
  return { apiUrl, signingSecret, botToken, botUserId, teamId, app, simulator };
}

/** The simulated Slack has the app as its manifest describes it. */
async function slackManifest(): Promise<unknown> {
  return JSON.parse(await readFile(new URL('../../../docs/slack-app.json', import.meta.url), 'utf8'));
}

/** Slack itself, or what stands in for it. `bot` is what Slack said of the token; undefined where it could not be reached. */
export function realSlack(
  choice: Exclude<SlackChoice, { kind: 'simulated' }>,
  identity: Identity,
  bot: SlackBot | undefined,
): SlackSide {
  const { apiUrl, botToken } = choice;
  const signingSecret = choice.signingSecret ?? identity.signingSecret;
  const botUserId = choice.botUserId ?? bot?.userId ?? '';
  return { apiUrl, signingSecret, botToken, botUserId, teamId: bot?.teamId ?? null };
}

export async function simulatedUpstream(
  identity: Identity,
  options: UpstreamSimulatorOptions,
): Promise<UpstreamSide> {
  const { startUpstreamSimulator } = await import('../../../test/simulators/upstream/index.ts');
  const simulator = await startUpstreamSimulator({ apiKey: identity.apiKey, ...options });
  const { baseUrl, visionUrl, apiKey } = simulator;
  return { baseUrl, visionUrl, apiKey, model: SIMULATED_MODEL, simulator };
}

export function realUpstream(choice: Exclude<UpstreamChoice, { kind: 'simulated' }>): UpstreamSide {
  const { baseUrl, visionUrl, apiKey, model } = choice;
  return { baseUrl, visionUrl, apiKey, model };
}
