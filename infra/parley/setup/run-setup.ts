import { existsSync } from 'node:fs';
import { askForStage, checkAccount, deployToAws } from './aws/aws-step.ts';
import type { RunCdk } from './aws/run-cdk.ts';
import { tryOut, type LocalPlace } from './ask-step.ts';
import { setUpDiscord } from './discord-step.ts';
import { setUpModels } from './model-step.ts';
import { buildNextCommands } from './next-commands.ts';
import { type Question, SetupError } from './question.ts';
import { askToContinue } from './resume.ts';
import { SetupSession, type SessionOptions } from './session.ts';
import { setUpSlack } from './slack-step.ts';

const PLATFORMS_QUESTION: Question = {
  id: 'platforms',
  kind: 'choices',
  message: 'Which platforms should be connected? The others are simulated',
  choices: [
    { value: 'slack', label: 'Slack' },
    { value: 'discord', label: 'Discord' },
  ],
  isOptional: true,
};

const TARGET_QUESTION: Question = {
  id: 'target',
  kind: 'choice',
  message: 'Where should Parley run?',
  choices: [
    { value: 'local', label: 'On this machine' },
    { value: 'aws', label: 'In your AWS account' },
  ],
  initial: 'local',
  isOptional: true,
};

/**
 * Sets Parley up on this machine, or deploys it to AWS. Rejects with SetupError when it cannot continue; the next run continues.
 */
export async function runSetup(options: SessionOptions, place: LocalPlace, runCdk: RunCdk): Promise<void> {
  const session = new SetupSession(options);
  const { say } = options;
  await askToContinue(session);
  const isAws = (await session.ask(TARGET_QUESTION)) === 'aws';
  const account = isAws ? await checkAccount(session) : undefined;
  const stage = account && (await askForStage(session, account));
  const platforms = (await session.ask(PLATFORMS_QUESTION)).split(',');
  const hasModels = await setUpModels(session, isAws);
  if (platforms.includes('slack')) await setUpSlack(session, !isAws);
  if (platforms.includes('discord')) await setUpDiscord(session);
  if (account !== undefined && stage !== undefined) {
    if (!hasModels)
      throw new SetupError('A deployment needs a model server: run this again, and give its address.');
    await deployToAws(session, account, { stage, platforms }, runCdk);
    session.finish();
    say(`Done. "npx parley doctor --stage ${stage}" checks the deployment.`);
    return;
  }
  await tryOut(session, platforms, place);
  session.finish();
  const { envFile } = options;
  const next = buildNextCommands({ envFile, ...place });
  const stored = existsSync(envFile)
    ? `${envFile} has the settings`
    : 'everything is simulated, so nothing had to be stored';
  say(`Done: ${stored}. "${next.start}" starts Parley, "${next.doctor}" checks it.`);
  if (!hasModels) say('The models are simulated.');
}
