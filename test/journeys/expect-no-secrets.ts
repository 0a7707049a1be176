import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import * as v from 'valibot';
import { callTable } from '../../infra/local/emulator/dynamodb/table-call.ts';
import type { LocalSystem } from '../../infra/local/system.ts';

/** The URL of a finished video is presigned: whoever has it can download the video. */
const VIDEO_URL = /\/files\/[^\s"/]+(?:\.mp4|\.png\?expires)/u;

const Scan = v.object({ Items: v.array(v.record(v.string(), v.record(v.string(), v.unknown()))) });

/** All items of the tables as text, compressed attributes included. */
export async function readTables({ emulator }: LocalSystem): Promise<string> {
  const texts: string[] = [];
  for (const { name } of emulator.resources.tables) {
    const { body } = await callTable(emulator.dynamodb, 'Scan', { TableName: name });
    for (const item of v.parse(Scan, body).Items) {
      const binaries = Object.values(item).flatMap(({ B }) => (typeof B === 'string' ? [decompress(B)] : []));
      texts.push(JSON.stringify(item), ...binaries);
    }
  }
  return texts.join('\n');
}

function decompress(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  try {
    return brotliDecompressSync(bytes).toString('utf8');
  } catch {
    return bytes.toString('latin1');
  }
}

/** Messages of the simulated platforms, as text. */
function readMessages({ slack, discord }: LocalSystem): string {
  const channels = [
    ...(slack.simulator?.core.state.messages.values() ?? []),
    ...(discord.simulator?.core.state.messages.values() ?? []),
  ];
  return JSON.stringify(channels.map((messages) => [...messages.values()]));
}

/**
 * Returns a check to be called once the system is stopped: no log, message or stored item holds an API key, a token or a
 * signing secret, no log or stored item the URL of a finished video, and no function lacked a permission. The check throws
 * otherwise. `others` are secrets that the system does not know of, such as keys for a server that is not simulated.
 */
export async function collectSecrets(
  data: string,
  running: LocalSystem,
  others: readonly string[] = [],
): Promise<() => void> {
  const { upstream, slack, discord } = running;
  const known = [upstream.apiKey, slack.botToken, slack.signingSecret, discord.botToken ?? ''];
  const secrets = [...known, ...others].filter(Boolean);
  const tables = await readTables(running);
  return () => {
    const logs = readdirSync(join(data, 'logs')).map((name) => ({
      place: `the log ${name}`,
      text: readFileSync(join(data, 'logs', name), 'utf8'),
      mayLink: false,
    }));
    const all = [
      ...logs,
      { place: 'a table', text: tables, mayLink: false },
      { place: 'a message', text: readMessages(running), mayLink: true },
    ];
    for (const { place, text } of logs) {
      const [refused] = /.* is not authorized to perform: .*/u.exec(text) ?? [];
      if (refused !== undefined) throw new Error(`${place} says that a permission is missing: ${refused}`);
    }
    for (const { place, text, mayLink } of all) {
      if (secrets.some((secret) => text.includes(secret))) throw new Error(`${place} holds a key or token`);
      const [url] = mayLink ? [] : (VIDEO_URL.exec(text) ?? []);
      if (url !== undefined) throw new Error(`${place} holds the URL of a video: ${url}`);
    }
  };
}

/** Stops the system of a journey. Throws if one of its logs, messages or stored items holds a secret, or a function lacked a permission. */
export async function closeWithoutSecrets(
  data: string,
  running: LocalSystem,
  others: readonly string[] = [],
): Promise<void> {
  try {
    const expectNoSecrets = await collectSecrets(data, running, others);
    await running.close();
    expectNoSecrets();
  } finally {
    await running.close();
  }
}
