import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { cached, inputHash } from './template-cache.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const TOOL_TIMEOUT_MS = 120_000;
/** What the local system chooses of the deployment. */
export const LOCAL_CHOICES = { rules: 'off', relay: 'on' };

/** The deployment as the CDK writes it, and where its bundles lie. */
export type BuiltTemplate = {
  /** The CloudFormation template, not yet validated. */
  readonly template: unknown;
  /** The folder with the bundle of a function (`index.js`), by the logical id of the function. */
  assetDir(logicalId: string): string;
  /** A file of a process, by its name among the assets. */
  assetFile(name: string): string;
  /** The folder of this build. */
  readonly dir: string;
  /** Whether it had to be made now. */
  readonly made: boolean;
};

const functions = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Properties: z.optional(z.object({ Code: z.optional(z.object({ S3Key: z.optional(z.string()) })) })),
    }),
  ),
});

/**
 * The template of this very source, made by the CDK on first need and then kept in `folder` by the hash of what it
 * was made from. The CDK runs in a process of its own, so that nothing of it stays behind. `say` gets one line
 * of progress. Throws, with what the CDK said, when the source does not build.
 */
export async function builtTemplate(
  say: (line: string) => void = () => {},
  folder: string = join(PROJECT, '.build'),
): Promise<BuiltTemplate> {
  const hash = await inputHash(PROJECT);
  const { dir, made } = await cached(folder, hash, async (out) => {
    const start = performance.now();
    say('Building the functions. This takes some seconds, once after each change of the source ...');
    await synthesise(out, LOCAL_CHOICES);
    say(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
  });
  return { ...(await templateIn(dir)), made };
}

/** What the CDK wrote into a folder. */
export async function templateIn(dir: string): Promise<Omit<BuiltTemplate, 'made'>> {
  const template: unknown = JSON.parse(await readFile(join(dir, 'Parley.template.json'), 'utf8'));
  const { Resources } = functions.parse(template);
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
 * Runs the CDK app, with `context` as its choices, into the folder `out`. Throws, with what it said, when it fails
 * or takes more than two minutes.
 */
export async function synthesise(out: string, context: Readonly<Record<string, unknown>>): Promise<void> {
  const child = spawn(process.execPath, [join(PROJECT, 'infra', 'cdk', 'app.ts')], {
    cwd: PROJECT,
    env: {
      ...process.env,
      CDK_OUTDIR: out,
      CDK_CONTEXT_JSON: JSON.stringify(context),
      // The rules of CloudFormation take a second, and go with the others.
      ...(context['rules'] === 'off' && { CDK_VALIDATION: 'false' }),
      NODE_OPTIONS: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TOOL_TIMEOUT_MS,
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? String(code)));
  });
  const [end, ...said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (end !== '0') throw new Error(`The deployment could not be built (${end}):\n${said.join('').trim()}`);
}

if (import.meta.main) {
  try {
    const { made, dir } = await builtTemplate((line) => console.error(line));
    console.error(`${made ? 'Ready' : 'Up to date'}: ${dir}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
