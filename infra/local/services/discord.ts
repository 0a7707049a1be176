import { parseJson } from '../../../shared/utils/index.ts';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import * as v from 'valibot';
import type {
  Gateway,
  DiscordSimulator,
  DiscordSimulatorOptions,
} from '../../../test/simulators/discord/index.ts';
import type { DiscordChoice } from '../../configuration/index.ts';
import { writePrivateJson } from '../private-file.ts';

/** Discord, real or simulated. */
export type DiscordService = {
  readonly apiUrl: string;
  readonly gatewayUrl: string | null;
  readonly publicKey: string;
  readonly applicationId: string;
  readonly botToken: string | null;
  readonly simulator?: DiscordSimulator;
  readonly gateway?: Gateway;
  /** Stops the simulator. */
  readonly close?: () => Promise<void>;
};

export type DiscordSimulation = {
  readonly directory: string;
  readonly host: string;
  readonly options: DiscordSimulatorOptions;
  /** The commands to register, as JSON, so that nobody has to run `npm run discord:register`. */
  readonly commands: string | undefined;
};

/** Stored settings of the simulated Discord, so that it is the same after a restart. */
const StoredSettings = v.object({
  privateKey: v.string(),
  botToken: v.string(),
  port: v.number(),
  gatewayPort: v.optional(v.number(), 0),
});
type StoredSettings = v.InferOutput<typeof StoredSettings>;

/**
 * Starts the simulated Discord on its previous ports, or free ones, with its stored messages. The relay resumes its session at
 * the previous gateway URL; with another port it would first retry the old one for 15 seconds.
 */
export async function startSimulatedDiscord({
  directory,
  host,
  options,
  commands,
}: DiscordSimulation): Promise<DiscordService> {
  const { Gateway, sourceOf, startDiscordSimulator } =
    await import('../../../test/simulators/discord/index.ts');
  const storedSettings = readStoredSettings(directory);
  const { privateKey, botToken } = storedSettings;
  const start = (port: number) =>
    startDiscordSimulator({
      host,
      port,
      privateKey,
      file: join(directory, 'discord.jsonl'),
      enforceLimits: true,
      ...options,
      identity: { botToken, ...options.identity },
    });
  const simulator = await startOnPort(storedSettings.port, start);
  const gateway = new Gateway(sourceOf(simulator.core));
  const gatewayUrl = await startOnPort(storedSettings.gatewayPort, (port) => gateway.listen({ host, port }));
  simulator.setGatewayUrl(gatewayUrl);
  writeStoredSettings(directory, {
    ...storedSettings,
    port: getPort(simulator.url),
    gatewayPort: getPort(gatewayUrl),
  });
  const close = async (): Promise<void> => {
    await gateway.close();
    await simulator.close();
  };
  const { apiUrl, applicationId, keys } = simulator;
  if (commands !== undefined) await registerCommands(simulator, commands);
  return {
    apiUrl,
    gatewayUrl,
    publicKey: keys.publicKey,
    applicationId,
    botToken: simulator.botToken,
    simulator,
    gateway,
    close,
  };
}

const getPort = (url: string): number => Number(new URL(url).port);

/** Starts on a port, or on any free one if it is in use. */
function startOnPort<T>(port: number, start: (port: number) => Promise<T>): Promise<T> {
  return start(port).catch((error: unknown) => {
    if (port === 0) throw error;
    return start(0);
  });
}

async function registerCommands(
  { apiUrl, applicationId, botToken }: DiscordSimulator,
  commands: string,
): Promise<void> {
  // A new connection: a pooled one may belong to an earlier simulator.
  const dispatcher = new Agent();
  const { statusCode, body } = await request(`${apiUrl}/applications/${applicationId}/commands`, {
    method: 'PUT',
    dispatcher,
    headers: { authorization: `Bot ${botToken}`, 'content-type': 'application/json', 'user-agent': AGENT },
    body: commands,
  });
  const responseText = await body.text();
  await dispatcher.close();
  if (statusCode !== 200)
    throw new Error(`the simulated Discord refused the commands: ${responseText.slice(0, 500)}`);
}

const AGENT = 'DiscordBot (http://localhost, 1.0)';

export function toDiscordService(choice: Exclude<DiscordChoice, { kind: 'simulated' }>): DiscordService {
  const { apiUrl, gatewayUrl = null, publicKey, applicationId, botToken = null } = choice;
  return { apiUrl, gatewayUrl, publicKey, applicationId, botToken };
}

const getSettingsFile = (directory: string): string => join(directory, 'discord.json');

function readStoredSettings(directory: string): StoredSettings {
  const file = getSettingsFile(directory);
  const read = existsSync(file)
    ? v.safeParse(StoredSettings, parseJson(readFileSync(file, 'utf8')))
    : undefined;
  if (read?.success) return read.output;
  const botToken = `local.${randomBytes(6).toString('base64url')}.${randomBytes(24).toString('base64url')}`;
  return { privateKey: randomBytes(32).toString('hex'), botToken, port: 0, gatewayPort: 0 };
}

function writeStoredSettings(directory: string, storedSettings: StoredSettings): void {
  writePrivateJson(getSettingsFile(directory), storedSettings);
}
