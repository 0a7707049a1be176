import { stackName } from '../../../../shared/runtime/index.ts';
import { CONFIG_TOKEN, getValue } from '../../../configuration/index.ts';
import { loadAwsAccount } from '../../aws/account.ts';
import { isDeployed, type Outputs, readOutputs } from '../../aws/deployment.ts';
import type { AwsAccount } from '../../aws/signed-request.ts';
import { runConnect } from '../../connect/run-connect.ts';
import {
  checkAws,
  FEW_FUNCTIONS,
  FEW_FUNCTIONS_OPTIONS,
  findSmallLimit,
} from '../../doctor/checks/check-aws.ts';
import { checkAfterDeploying } from '../../doctor/check-after-deploying.ts';
import { OperatorError } from '../../operator-error.ts';
import { askInSlack } from '../ask-step.ts';
import { askForChannel } from '../ask-for-channel.ts';
import { type Question, SetupError } from '../question.ts';
import type { SetupSession } from '../session.ts';
import { createContainerRole } from './container-role.ts';
import { type Deployment, toDeployArguments } from './deploy-arguments.ts';
import { type RunCdk, runCdkStep } from './run-cdk.ts';

const STAGE_QUESTION: Question = {
  id: 'aws.stage',
  kind: 'text',
  message:
    'Stage to deploy: prod keeps its data when it is removed. About 10 dollars a month, and 11 for Discord with mentions',
  initial: 'prod',
  findProblem: (answer) =>
    /^[a-z][a-z0-9-]{0,15}$/u.test(answer) ? undefined : 'it has up to 16 small letters, digits and hyphens',
};
const SIGNING_SECRET_QUESTION: Question = {
  id: 'slack.signingSecret',
  kind: 'secret',
  message: 'Signing secret of the Slack app (Basic Information > App Credentials)',
  findProblem: (answer) =>
    /^[0-9a-f]{32}$/u.test(answer) ? undefined : 'it has 32 characters from 0-9 and a-f',
};
const CONFIG_TOKEN_QUESTION: Question = {
  id: 'slack.configToken',
  kind: 'secret',
  message:
    'App configuration token of Slack, to enter the address of the deployment (empty: enter it by hand)',
  isOptional: true,
};

const AWS_TIMEOUT_MS = 15_000;
/** The stack that `cdk bootstrap` makes. */
const TOOLKIT = 'CDKToolkit';
/** A deployment that an interrupted run has begun. */
const BEGUN = 'begun';

/** Checks the AWS account, before anything else is asked. Rejects with SetupError. */
export async function checkAccount(session: SetupSession): Promise<AwsAccount> {
  const { environment, createProbe } = session.options;
  const account = await loadAwsAccount(environment);
  if (account === undefined)
    throw new SetupError(
      'There are no AWS credentials. Run "aws configure" or "aws sso login", or set AWS_PROFILE, then run this again.',
    );
  if ('result' in account)
    throw new SetupError(`${account.name} ${account.finding} ${account.fix ?? ''}`.trim());
  const checks = await checkAws(account, createProbe(AWS_TIMEOUT_MS));
  if (!session.accepts(checks)) throw new SetupError('The AWS account cannot be used, see above.');
  return account;
}

/**
 * Asks for the stage, directly behind `checkAccount`: before anything is created elsewhere. Rejects with SetupError if its stack is deployed, and not by the
 * run that this one continues: a set-up would remove the options that it does not know.
 */
export async function askForStage(session: SetupSession, account: AwsAccount): Promise<string> {
  const stage = await session.ask(STAGE_QUESTION);
  const stack = stackName(stage);
  if (session.recallDeployment(stage) !== undefined || !(await findStack(session, account, stack)))
    return stage;
  session.forget(STAGE_QUESTION.id);
  throw new SetupError(
    `${stack} is deployed already. Change it with "npx cdk deploy" and the same -c options as before: without them, what they added is removed. "npx parley connect --stage ${stage}" stores credentials. For another deployment, run this again with another stage.`,
  );
}

/**
 * Deploys to AWS, stores the secrets, enters the addresses, and asks a question. What an interrupted run has done is not done again.
 * Rejects with SetupError.
 */
export async function deployToAws(
  session: SetupSession,
  account: AwsAccount,
  { stage, platforms }: { readonly stage: string; readonly platforms: readonly string[] },
  run: RunCdk,
): Promise<void> {
  const { say, createProbe } = session.options;
  const stack = stackName(stage);
  if (platforms.includes('slack') && getValue(session.variables, 'SLACK_SIGNING_SECRET') === undefined)
    session.writeVariables({ SLACK_SIGNING_SECRET: await session.ask(SIGNING_SECRET_QUESTION) });
  const channel = platforms.includes('slack') ? await askForChannel(session) : undefined;
  await bootstrap(session, account, run);
  const deployment = await planDeployment(session, account, stage, platforms);
  const args = toDeployArguments(deployment, session.variables);
  const fingerprint = args.join(' ');
  if (session.recallDeployment(stage) === fingerprint) say(`${stack} is deployed already.`);
  else {
    session.rememberDeployment(stage, BEGUN);
    if (deployment.relay) await createContainerRole(account, createProbe(AWS_TIMEOUT_MS), say);
    say(`Deploying ${stack} to ${account.region}. This takes some minutes ...`);
    await runCdkStep(run, args, say);
    session.rememberDeployment(stage, fingerprint);
  }
  const outputs = await connectDeployment(session, account, stack, platforms);
  if (channel !== undefined) await askDeployment(session, outputs, channel);
}

/** Whether a stack is deployed. Rejects with SetupError if that cannot be read. */
const findStack = (session: SetupSession, account: AwsAccount, stack: string): Promise<boolean> =>
  asSetupError(() => isDeployed(account, stack, session.options.createProbe(AWS_TIMEOUT_MS)));

async function planDeployment(
  { options: { say, createProbe } }: SetupSession,
  account: AwsAccount,
  stage: string,
  platforms: readonly string[],
): Promise<Deployment> {
  const limit = await findSmallLimit(account, createProbe(AWS_TIMEOUT_MS));
  const plan = { stage, relay: platforms.includes('discord') };
  if (limit === undefined) return plan;
  say(
    `The account may run ${limit} functions at a time, so few questions, recordings and large tasks are handled at a time (${FEW_FUNCTIONS_OPTIONS}): events of the platforms need functions too.`,
  );
  return { ...plan, concurrency: FEW_FUNCTIONS };
}

async function bootstrap(session: SetupSession, account: AwsAccount, run: RunCdk): Promise<void> {
  const { say } = session.options;
  if (await findStack(session, account, TOOLKIT)) return;
  say(`Preparing ${account.region} for the CDK, once per account and region ...`);
  await runCdkStep(run, ['bootstrap', '--progress', 'events'], say);
}

/** Stores the secrets, enters the addresses on the platforms, and reports what is not in order then. */
async function connectDeployment(
  session: SetupSession,
  account: AwsAccount,
  stack: string,
  platforms: readonly string[],
): Promise<Outputs> {
  const { say, createProbe } = session.options;
  const configToken =
    getValue(session.variables, CONFIG_TOKEN) ??
    session.slackConfigToken ??
    (platforms.includes('slack') ? await session.ask(CONFIG_TOKEN_QUESTION) : '');
  const variables = { ...session.variables, [CONFIG_TOKEN]: configToken };
  return asSetupError(async () => {
    const isDone = await runConnect({ account, stack, variables, say, createProbe });
    if (!isDone) say('Something is left to do by hand, see above.');
    await checkAfterDeploying({ account, stack, variables, now: Date.now, createProbe }, say);
    return readOutputs(account, stack, createProbe(AWS_TIMEOUT_MS));
  });
}

/** Rejects with a SetupError of the same message where `run` rejects with an OperatorError. */
async function asSetupError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OperatorError) throw new SetupError(error.message);
    throw error;
  }
}

/** Asks through the address of the deployment, as Slack does. */
async function askDeployment(
  session: SetupSession,
  { SlackEventsUrl: url }: Outputs,
  channel: string,
): Promise<void> {
  const botToken = getValue(session.variables, 'SLACK_BOT_TOKEN');
  const signingSecret = getValue(session.variables, 'SLACK_SIGNING_SECRET');
  if (url === undefined || botToken === undefined || signingSecret === undefined) return;
  const apiUrl = getValue(session.variables, 'SLACK_API_URL') ?? 'https://slack.com/api/';
  await askInSlack(session, { eventsUrl: url, apiUrl, botToken, signingSecret }, channel);
}
