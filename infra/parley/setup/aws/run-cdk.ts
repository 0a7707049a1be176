import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { SetupError } from '../question.ts';

/** Runs the CDK with these arguments, and passes each line that it prints. Resolves with its exit code; rejects if it cannot start. */
export type RunCdk = (args: readonly string[], onLine: (line: string) => void) => Promise<number>;

/** Runs an executable file. It finds the Node that runs this process, also where `PATH` has another or none. A signal that ends this process ends it too: both are in the foreground of the terminal. */
export const createRunCdk =
  (executable: string, env: Readonly<Record<string, string | undefined>>): RunCdk =>
  (args, onLine) =>
    new Promise((resolve, reject) => {
      const path = [dirname(process.execPath), env['PATH']].filter(Boolean).join(delimiter);
      const child = spawn(executable, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...env, PATH: path, CI: 'true' },
      });
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', onLine);
      child.once('error', () =>
        reject(new SetupError(`${executable} could not be started. Run "npm ci", then this again.`)),
      );
      child.once('close', (code) => resolve(code ?? 1));
    });

/** `Parley | 34/98 | 12:00:00 | CREATE_COMPLETE | AWS::Lambda::Function | Worker (Worker0BA6A452)`. */
const EVENT =
  /\|\s*(?<done>\d+)\/(?<total>\d+)\s*\|[^|]*\|\s*(?<status>[A-Z_]+)\s*\|\s*(?<type>[\w:]+)\s*(?:\|\s*(?<id>[\w-]+))?/u;
/** How often progress is reported: each tenth of the resources. */
const STEPS = 10;

/** Returns a function that turns the lines of the CDK into progress for people: each tenth, and every failure. */
export function createCdkProgress(say: (line: string) => void): (line: string) => void {
  let reported = -1;
  return (line) => {
    const {
      done,
      total,
      status = '',
      type = '',
      id = '',
    } = EVENT.exec(stripVTControlCharacters(line))?.groups ?? {};
    if (done === undefined || total === undefined) return;
    if (/FAILED|ROLLBACK/u.test(status)) say(`  ${status}: ${type} ${id}`.trimEnd());
    const step = Math.floor((Number(done) / Number(total)) * STEPS);
    if (step <= reported) return;
    reported = step;
    say(`  ${done} of ${total} resources`);
  };
}

/** How many of the last lines are shown if the CDK fails. */
const SHOWN_LINES = 15;

/** Runs the CDK, and reports its progress. Rejects with SetupError, with its last lines, if it fails. */
export async function runCdkStep(
  run: RunCdk,
  args: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const progress = createCdkProgress(say);
  const last: string[] = [];
  const code = await run(args, (line) => {
    progress(line);
    const text = stripVTControlCharacters(line).trimEnd();
    if (text === '') return;
    last.push(text);
    if (last.length > SHOWN_LINES) last.shift();
  });
  if (code === 0) return;
  throw new SetupError(
    [`"cdk ${args[0]}" failed (exit code ${code}). Its last lines:`, ...last, findHint(last.join('\n'))].join(
      '\n',
    ),
  );
}

/** Frequent reasons, and what to do. */
const HINTS: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /ExpiredToken|expired/iu,
    'The AWS credentials have expired: run "aws sso login", then "npx parley setup" again.',
  ],
  [
    /service.linked role/iu,
    'The account lacks the role of ECS for containers. Run "aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com", then "npx parley setup" again.',
  ],
  [
    /AccessDenied|not authorized/iu,
    'The credentials lack rights: deploying needs those of an administrator. docs/deploying.md.',
  ],
  [
    /is in [A-Z_]*IN_PROGRESS/u,
    'Another deployment is running. Wait until it ends, then run "npx parley setup" again.',
  ],
  [
    /Policy document length|permissions to enable logging/u,
    'The policy with which API Gateway writes logs in this region is full, usually with log groups of deleted APIs, or you lack the right logs:PutResourcePolicy: docs/deploying.md#before-the-first-time.',
  ],
  [
    /TerminationProtection/u,
    'The first deployment failed, and its stack is protected. Run "aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name Parley", then "npx parley setup" again.',
  ],
  [
    /ROLLBACK_COMPLETE/u,
    'The deployment failed and was rolled back: the lines above say which resource failed, and why. Correct that, then run "npx parley setup" again.',
  ],
];

const findHint = (lines: string): string =>
  HINTS.find(([pattern]) => pattern.test(lines))?.[1] ??
  'Correct this, then run the same command again: it continues here.';
