import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import * as z from 'zod/mini';
import type { Gateway } from '../../../test/simulators/discord/gateway.ts';
import type { DiscordSimulator, DiscordSimulatorOptions } from '../../../test/simulators/discord/index.ts';
import type { DiscordChoice } from '../../configuration/index.ts';
import { writePrivateJson } from '../private-file.ts';

/** Discord as the system sees it, real or simulated. */
export type DiscordSide = {
  readonly apiUrl: string;
  readonly gatewayUrl: string | null;
  readonly publicKey: string;
  readonly applicationId: string;
  readonly botToken: string | null;
  readonly simulator?: DiscordSimulator;
  readonly gateway?: Gateway;
  /** Ends what was started here. */
  readonly close?: () => Promise<void>;
};

export type DiscordSimulation = {
  readonly directory: string;
  readonly host: string;
  readonly options: DiscordSimulatorOptions;
};

/** What the simulated Discord keeps, so that it is the same one after a restart. */
const Kept = z.object({
  privateKey: z.string(),
  botToken: z.string(),
  port: z.number(),
  gatewayPort: z._default(z.number(), 0),
});
type Kept = z.infer<typeof Kept>;

/**
 * Starts the simulated Discord on the ports it had last, or any free ones; with its messages of last time. The relay resumes its
 * session where its gateway last was: elsewhere, it would look for that for a quarter of a minute.
 */
export async function simulatedDiscord({
  directory,
  host,
  options,
}: DiscordSimulation): Promise<DiscordSide> {
  const { startDiscordSimulator } = await import('../../../test/simulators/discord/index.ts');
  const { Gateway, sourceOf } = await import('../../../test/simulators/discord/gateway.ts');
  const kept = keptIn(directory);
  const { privateKey, botToken } = kept;
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
  const simulator = await onPort(kept.port, start);
  const gateway = new Gateway(sourceOf(simulator.core));
  const gatewayUrl = await onPort(kept.gatewayPort, (port) => gateway.listen({ host, port }));
  simulator.setGatewayUrl(gatewayUrl);
  keep(directory, { ...kept, port: portOf(simulator.url), gatewayPort: portOf(gatewayUrl) });
  const close = async (): Promise<void> => {
    await gateway.close();
    await simulator.close();
  };
  const { apiUrl, applicationId, keys } = simulator;
  await tellCommands(simulator);
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

const portOf = (url: string): number => Number(new URL(url).port);

/** Where another program has taken the port, on any that is free. */
function onPort<T>(port: number, start: (port: number) => Promise<T>): Promise<T> {
  return start(port).catch((error: unknown) => {
    if (port === 0) throw error;
    return start(0);
  });
}

/** Nobody has to run `npm run discord:register` for a Discord that is simulated. */
async function tellCommands({ apiUrl, applicationId, botToken }: DiscordSimulator): Promise<void> {
  const { FILES } = await import('../../../shared/commands/command-list.ts');
  const { buildDiscordCommands } = await import('../../cli/discord-commands.ts');
  // By a connection of its own: one that was kept open may belong to a Discord that was here before.
  const dispatcher = new Agent();
  const { statusCode, body } = await request(`${apiUrl}/applications/${applicationId}/commands`, {
    method: 'PUT',
    dispatcher,
    headers: { authorization: `Bot ${botToken}`, 'content-type': 'application/json', 'user-agent': AGENT },
    body: JSON.stringify(buildDiscordCommands(FILES)),
  });
  const said = await body.text();
  await dispatcher.close();
  if (statusCode !== 200)
    throw new Error(`the simulated Discord refused the commands: ${said.slice(0, 500)}`);
}

const AGENT = 'DiscordBot (http://localhost, 1.0)';

export function realDiscord(choice: Exclude<DiscordChoice, { kind: 'simulated' }>): DiscordSide {
  const { apiUrl, gatewayUrl = null, publicKey, applicationId, botToken = null } = choice;
  return { apiUrl, gatewayUrl, publicKey, applicationId, botToken };
}

const fileIn = (directory: string): string => join(directory, 'discord.json');

function keptIn(directory: string): Kept {
  const file = fileIn(directory);
  const read = existsSync(file) ? Kept.safeParse(parse(readFileSync(file, 'utf8'))) : undefined;
  if (read?.success) return read.data;
  const botToken = `local.${randomBytes(6).toString('base64url')}.${randomBytes(24).toString('base64url')}`;
  return { privateKey: randomBytes(32).toString('hex'), botToken, port: 0, gatewayPort: 0 };
}

function keep(directory: string, kept: Kept): void {
  writePrivateJson(fileIn(directory), kept);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
