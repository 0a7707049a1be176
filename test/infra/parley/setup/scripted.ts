import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProbe, readEnvFile, type Variables } from '../../../../infra/configuration/index.ts';
import { findAnswerProblem, type Prompter, SetupError } from '../../../../infra/parley/setup/question.ts';
import { runSetup } from '../../../../infra/parley/setup/run-setup.ts';
import type { World } from '../doctor/world.ts';

/** Answers by question. Several answers of one question are given one after the other. `STOP` is Ctrl+C; `ENTER` takes the initial answer. */
export type Script = Readonly<Record<string, string | readonly string[]>>;
export const STOP = 'STOP';
export const ENTER = 'ENTER';

/** A person who answers from a script, and whose answers have the right form. */
function createScriptedPrompter(script: Script) {
  const questionIds: string[] = [];
  const questions: string[] = [];
  const prompter: Prompter = {
    isInteractive: true,
    async ask(question) {
      const answers = [script[question.id] ?? []].flat();
      const before = questionIds.filter((id) => id === question.id).length;
      questionIds.push(question.id);
      questions.push(question.message);
      const scripted = answers[before] ?? (question.isOptional ? '' : undefined);
      const answer = scripted === ENTER ? question.initial : scripted;
      if (answer === undefined) throw new Error(`no answer to ${question.id}, asked ${before + 1} times`);
      if (answer === STOP) throw new SetupError('Stopped.');
      const problem = findAnswerProblem(question, answer);
      if (problem !== undefined) throw new Error(`${question.id}: ${problem}`);
      return answer;
    },
  };
  return { prompter, questionIds, questions };
}

/** A folder with an `.env` that names the simulators as the services. */
export class SetupFolder {
  readonly directory = mkdtempSync(join(tmpdir(), 'parley-setup-'));
  readonly envFile = join(this.directory, '.env');
  readonly stateFile = `${this.envFile}.setup.json`;

  /** `platforms`: those whose simulators `.env` names. */
  constructor({ slack, discord }: Pick<World, 'slack' | 'discord'>, platforms: string) {
    const lines = [
      '# The simulators.',
      ...(platforms.includes('slack') ? [`SLACK_API_URL=${slack.apiUrl}`] : []),
      ...(platforms.includes('discord')
        ? [`DISCORD_API_URL=${discord.apiUrl}`, `DISCORD_GATEWAY_URL=${discord.url.replace('http:', 'ws:')}`]
        : []),
      'LOG_LEVEL=warn # mine',
      '',
    ];
    writeFileSync(this.envFile, lines.join('\n'), { mode: 0o644 });
  }

  /** Runs the set-up. Resolves with the ids of the questions, the output, and the error. */
  async run(script: Script, port = 0) {
    const { prompter, questionIds, questions } = createScriptedPrompter(script);
    const lines: string[] = [];
    const opened: string[] = [];
    const options = {
      envFile: this.envFile,
      environment: {},
      prompter,
      say: (line: string) => void lines.push(line),
      open: (url: string) => void opened.push(url),
      createProbe,
    };
    const place = { data: join(this.directory, 'data'), port };
    const error = await runSetup(options, place, async () => 1).then(
      () => undefined,
      (thrown: unknown) => {
        if (thrown instanceof SetupError) return thrown.message;
        throw thrown;
      },
    );
    return { questionIds, questions, output: lines.join('\n'), opened, error };
  }

  readVariables(): Variables {
    return readEnvFile(this.readText()).variables;
  }

  readText(): string {
    return readFileSync(this.envFile, 'utf8');
  }

  getMode(): number {
    return statSync(this.envFile).mode & 0o777;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
