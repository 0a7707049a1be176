import { parseJson } from '../../../shared/utils/index.ts';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { writePrivateJson } from '../private-file.ts';
import { StartupError } from '../startup-error.ts';

const Identity = v.object({
  /** Signs events of the simulated Slack and of socket mode. */
  signingSecret: v.string(),
  /** Token of the simulated Slack. */
  botToken: v.string(),
  /** Key of the simulated models. */
  apiKey: v.string(),
  /** Previous port of the simulated Slack, so that an open page works after a restart. */
  slackPort: v.number(),
});

/** Credentials created on this machine. Constant for a data folder. */
export type Identity = v.InferOutput<typeof Identity>;

/** Reads the identity of a data folder, or creates it. */
export function readIdentity(directory: string): Identity {
  const file = join(directory, 'identity.json');
  if (existsSync(file)) {
    const read = v.safeParse(Identity, parseJson(readFileSync(file, 'utf8')));
    if (read.success) return read.output;
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

/** Stores the port of the simulated Slack. */
export function storeSlackPort(directory: string, identity: Identity, slackPort: number): void {
  if (slackPort !== identity.slackPort)
    writePrivateJson(join(directory, 'identity.json'), { ...identity, slackPort });
}
