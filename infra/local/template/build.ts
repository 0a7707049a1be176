import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { getOrBuild, hashInputs } from './template-cache.ts';

const PROJECT = join(import.meta.dirname, '../../..');
/** Ends a build that hangs. A build takes ten seconds, and minutes on a machine that does much else. A test may take longer than this, so that it shows the output. */
const SYNTH_TIMEOUT_MS = 420_000;
/** Context options of the local system. */
export const LOCAL_CONTEXT = { rules: 'off', relay: 'on', api: '20' };

/** The synthesized template and the paths of its bundles. */
export type BuiltTemplate = {
  /** The CloudFormation template, not yet validated. */
  readonly template: unknown;
  /** Returns the bundle folder of a function (with `index.js`) by its logical id. */
  assetDir(logicalId: string): string;
  /** Returns the path of a process file by its asset name. */
  assetFile(name: string): string;
  /** Reads the commands for the simulated Discord, as JSON. */
  discordCommands(): Promise<string>;
  /** The folder of this build. */
  readonly dir: string;
  /** Whether it was built now. */
  readonly wasBuilt: boolean;
};

const functionsSchema = v.object({
  Resources: v.record(
    v.string(),
    v.object({
      Properties: v.optional(v.object({ Code: v.optional(v.object({ S3Key: v.optional(v.string()) })) })),
    }),
  ),
});

const COMMANDS_FILE = 'discord-commands.json';

/**
 * Returns the template of this source, built by the CDK when needed and cached in `folder` by the hash of its inputs. The CDK, and
 * what defines the commands, run in separate processes, so that they do not stay in memory. `say` gets progress lines. Throws the CDK's output when the
 * source does not build. `run` makes the build instead of the CDK.
 */
export async function buildTemplate(
  say: (line: string) => void = () => {},
  folder: string = join(PROJECT, '.build'),
  run: typeof synthesize = synthesize,
): Promise<BuiltTemplate> {
  const hash = await hashInputs(PROJECT);
  const { dir, made } = await getOrBuild(folder, hash, async (out) => {
    const start = performance.now();
    say('Building the functions. This takes some seconds, once after each change of the source ...');
    await Promise.all([run(out, LOCAL_CONTEXT), writeDiscordCommands(out)]);
    say(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
  });
  const discordCommands = (): Promise<string> => readFile(join(dir, COMMANDS_FILE), 'utf8');
  return { ...(await readTemplateFolder(dir)), discordCommands, wasBuilt: made };
}

/** Reads the output folder of the CDK. */
export async function readTemplateFolder(
  dir: string,
): Promise<Omit<BuiltTemplate, 'wasBuilt' | 'discordCommands'>> {
  const template: unknown = JSON.parse(await readFile(join(dir, 'Parley.template.json'), 'utf8'));
  const { Resources } = v.parse(functionsSchema, template);
  return {
    template,
    dir,
    assetFile: (name) => join(dir, `asset.${name}`),
    assetDir(logicalId) {
      const key = Resources[logicalId]?.Properties?.Code?.S3Key;
      if (!key) throw new Error(`${logicalId} of the template is not a function with a bundle.`);
      return join(dir, `asset.${key.replace(/\.zip$/, '')}`);
    },
  };
}

/**
 * Runs the CDK app with `context` into the folder `out`. Throws with its output when it fails or takes more than seven minutes.
 */
export async function synthesize(out: string, context: Readonly<Record<string, unknown>>): Promise<void> {
  await runScript('infra/cdk/app.ts', {
    CDK_OUTDIR: out,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    // CloudFormation's own validation takes a second, and is switched off with the rules.
    ...(context['rules'] === 'off' && { CDK_VALIDATION: 'false' }),
  });
}

/** Writes the commands for the simulated Discord into the folder `out`. */
async function writeDiscordCommands(out: string): Promise<void> {
  await writeFile(join(out, COMMANDS_FILE), await runScript('infra/cli/print-discord-commands.ts', {}));
}

/** Runs a script of this project, and resolves with what it prints. Throws with its output when it fails or takes more than seven minutes. */
async function runScript(path: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, [join(PROJECT, path)], {
    cwd: PROJECT,
    env: { ...process.env, ...env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: SYNTH_TIMEOUT_MS,
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? String(code)));
  });
  const [end, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (end !== '0')
    throw new Error(`The deployment could not be built (${end}):\n${(output + errors).trim()}`);
  return output;
}

if (import.meta.main) {
  try {
    const { wasBuilt, dir } = await buildTemplate((line) => console.error(line));
    console.error(`${wasBuilt ? 'Ready' : 'Up to date'}: ${dir}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
