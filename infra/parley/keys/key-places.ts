import { existsSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { createProbe, readEnvFile } from '../../configuration/index.ts';
import { readSecret, writeSecret } from '../aws/secrets.ts';
import { getOutput, openDeployment } from '../operator/open-system.ts';
import { OperatorError } from '../operator-error.ts';
import { readEnvText } from '../read-env-text.ts';
import { setVariables } from '../setup/env-text.ts';
import type { Terminal } from '../terminal.ts';
import type { KeyKind, SecretContent } from './key-store.ts';

/** Where keys are stored. */
export type KeyPlace = {
  /** For people. */
  readonly name: string;
  /** Whether a key can count besides the current one. */
  readonly hasSeveral: boolean;
  /** What happens after a change. */
  readonly effect: string;
  readonly read: (kind: KeyKind) => Promise<SecretContent>;
  readonly write: (kind: KeyKind, content: SecretContent) => Promise<void>;
};

const OUTPUTS = { models: 'UpstreamSecret', slack: 'SlackSigningSecret' } as const;
const VARIABLES = { models: 'UPSTREAM_API_KEY', slack: 'SLACK_SIGNING_SECRET' } as const;
/** The field with the current key. */
const FIELDS = { models: 'apiKey', slack: 'current' } as const;
const TIMEOUT_MS = 15_000;

/** The secrets of a deployment. AWS keeps the former version of each. Rejects with OperatorError. */
export async function openDeploymentKeys(stage: string, terminal: Pick<Terminal, 'env'>): Promise<KeyPlace> {
  const system = await openDeployment(stage, terminal);
  const getSecretId = (kind: KeyKind) => getOutput(system, OUTPUTS[kind]);
  return {
    name: system.name,
    hasSeveral: true,
    effect: 'Functions use it within 15 minutes, or at once if the former one is rejected.',
    read: (kind) => readSecret(system.account, getSecretId(kind), createProbe(TIMEOUT_MS)),
    write: (kind, content) =>
      writeSecret(system.account, getSecretId(kind), content, createProbe(TIMEOUT_MS)),
  };
}

/** The variables of `.env`, which has one key of each kind. */
export function openLocalKeys(file: string): KeyPlace {
  const readText = (): string => readEnvText(file) ?? '';
  return {
    name: file,
    hasSeveral: false,
    effect: 'It counts from the next "npm start".',
    async read(kind) {
      const value = readEnvFile(readText()).variables[VARIABLES[kind]];
      return value ? { [FIELDS[kind]]: value } : {};
    },
    async write(kind, content) {
      const value = content[FIELDS[kind]];
      if (typeof value !== 'string') throw new OperatorError(`${file} was not changed.`);
      // A link stays a link.
      const target = existsSync(file) ? realpathSync(file) : file;
      const next = `${target}.${process.pid}.tmp`;
      writeFileSync(next, setVariables(readText(), { [VARIABLES[kind]]: value }), { mode: 0o600 });
      renameSync(next, target);
    },
  };
}
