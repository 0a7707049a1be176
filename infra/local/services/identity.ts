import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writePrivateJson } from '../private-file.ts';
import { StartupError } from '../startup-error.ts';

const Identity = z.object({
  /** Signs the events of the simulated Slack, and those that came through a socket. */
  signingSecret: z.string(),
  /** Of the simulated Slack. */
  botToken: z.string(),
  /** Of the simulated models. */
  apiKey: z.string(),
  /** The simulated Slack keeps its address, so that an open page works again after a restart. */
  slackPort: z.number(),
});

/** Credentials made on this machine. They stay the same as long as the data folder lives. */
export type Identity = z.infer<typeof Identity>;

/** Reads the identity of a data folder; makes it the first time. */
export function identityIn(directory: string): Identity {
  const file = join(directory, 'identity.json');
  if (existsSync(file)) {
    const read = Identity.safeParse(parse(readFileSync(file, 'utf8')));
    if (read.success) return read.data;
    throw new StartupError(`${file} is damaged. Delete it: new local credentials are made then.`);
  }
  const identity = {
    signingSecret: randomBytes(16).toString('hex'),
    botToken: `xoxb-local-${randomBytes(16).toString('hex')}`,
    apiKey: `local-${randomBytes(16).toString('hex')}`,
    slackPort: 0,
  };
  writePrivateJson(file, identity);
  return identity;
}

/** Remembers where the simulated Slack is. */
export function rememberSlackPort(directory: string, identity: Identity, slackPort: number): void {
  if (slackPort !== identity.slackPort)
    writePrivateJson(join(directory, 'identity.json'), { ...identity, slackPort });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
