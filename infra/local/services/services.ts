import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlackSimulator, SlackSimulatorOptions } from '../../../test/simulators/slack/index.ts';
import type { SearchSimulator } from '../../../test/simulators/search/index.ts';
import type { UpstreamSimulator, UpstreamSimulatorOptions } from '../../../test/simulators/upstream/index.ts';
import {
  getValue,
  type SlackApp,
  type SlackBot,
  type SlackChoice,
  type UpstreamChoice,
  type Variables,
} from '../../configuration/index.ts';
import { storeSlackPort } from './identity.ts';
import type { Identity } from './identity.ts';

/** A simulated model without visible reasoning. */
const SIMULATED_MODEL = 'vendor-edge-2603';

/** Slack, real or simulated. */
export type SlackService = {
  readonly apiUrl: string;
  readonly signingSecret: string;
  readonly botToken: string;
  /** Empty if unknown; events contain it. */
  readonly botUserId: string;
  readonly teamId: string | null;
  /** The app of the simulated Slack for installation in its other workspaces. */
  readonly app?: SlackApp;
  readonly simulator?: SlackSimulator;
};

/** The model server, real or simulated. */
export type UpstreamService = {
  readonly baseUrl: string;
  readonly visionUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly simulator?: UpstreamSimulator;
  /** The key of the web search, if there is one. */
  readonly searchKey?: string | undefined;
  /** The services of the web search. Present if simulated. */
  readonly search?: SearchSimulator | undefined;
};

export type SlackSimulation = {
  readonly directory: string;
  readonly host: string;
  readonly identity: Identity;
  readonly options: SlackSimulatorOptions;
  readonly note: (line: string) => void;
};

/** Starts the simulated Slack on its previous port, or a free one, with its stored messages. */
export async function startSimulatedSlack({
  directory,
  host,
  identity,
  options,
  note,
}: SlackSimulation): Promise<SlackService> {
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
      enforceTiers: true,
      ...options,
      identity: { ...appOf(await readSlackManifest()), ...options.identity },
    });
  const simulator = await start(slackPort).catch((error: unknown) => {
    if (slackPort === 0) throw error;
    return start(0);
  });
  storeSlackPort(directory, identity, Number(new URL(simulator.url).port));
  const { apiUrl, botUserId, teamId } = simulator;
  return { apiUrl, signingSecret, botToken, botUserId, teamId, app, simulator };
}

/** The app manifest configures the simulated Slack's app. */
async function readSlackManifest(): Promise<unknown> {
  return JSON.parse(await readFile(new URL('../../../docs/slack-app.json', import.meta.url), 'utf8'));
}

/** The real Slack or a test server. `bot` is the identity that Slack returned; undefined if it was unreachable. */
export function toSlackService(
  choice: Exclude<SlackChoice, { kind: 'simulated' }>,
  identity: Identity,
  bot: SlackBot | undefined,
): SlackService {
  const { apiUrl, botToken } = choice;
  const signingSecret = choice.signingSecret ?? identity.signingSecret;
  const botUserId = choice.botUserId ?? bot?.userId ?? '';
  return { apiUrl, signingSecret, botToken, botUserId, teamId: bot?.teamId ?? null };
}

export async function startSimulatedUpstream(
  identity: Identity,
  options: UpstreamSimulatorOptions,
): Promise<UpstreamService> {
  const { startUpstreamSimulator } = await import('../../../test/simulators/upstream/index.ts');
  const simulator = await startUpstreamSimulator({ apiKey: identity.apiKey, ...options });
  const { baseUrl, visionUrl, apiKey } = simulator;
  const [model = SIMULATED_MODEL] = options.extraModels ?? [];
  return { baseUrl, visionUrl, apiKey, model, simulator };
}

/** Starts the simulated search services, unless a real one is configured or the models are real. */
export async function startSearch(
  { kind }: UpstreamChoice,
  variables: Variables,
): Promise<Pick<UpstreamService, 'search' | 'searchKey'>> {
  const searchKey = getValue(variables, 'SEARCH_API_KEY');
  if (kind === 'real' || getValue(variables, 'SEARCH') !== undefined) return { searchKey };
  const { startSearchSimulator } = await import('../../../test/simulators/search/index.ts');
  const search = await startSearchSimulator();
  return { search, searchKey: search.key };
}

export function toUpstreamService(choice: Exclude<UpstreamChoice, { kind: 'simulated' }>): UpstreamService {
  const { baseUrl, visionUrl, apiKey, model } = choice;
  return { baseUrl, visionUrl, apiKey, model };
}
