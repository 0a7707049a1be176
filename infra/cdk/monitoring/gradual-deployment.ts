import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  CfnAlias,
  type Function as Lambda,
  type IFunction,
  type IVersion,
  Version,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct, IConstruct } from 'constructs';
import { notifyTopic } from './notify-topic.ts';

const ALIAS = 'live';
/**
 * A tenth of the invocations uses the new version for five minutes, then all. Not longer, because a task that the old version
 * cannot read waits at most ten minutes for the new one.
 */
const DEPLOYMENT_CONFIG = 'CodeDeployDefault.LambdaCanary10Percent5Minutes';
/** Errors per minute at which a deployment is rolled back. */
const ROLLBACK_ERRORS = 3;

/**
 * Creates an alias that CodeDeploy moves gradually to each new version, with rollback on errors. The alarm that rolls back also notifies `alarmTopic`: nobody
 * may be watching the deployment. Each synthesis creates a new version, because a version includes parameter values, whose changes CloudFormation would not
 * notice.
 */
export function deployGradually(scope: Construct, lambda: Lambda, alarmTopic: string | undefined): IFunction {
  lambda.addEnvironment('RELEASE', RELEASE);
  const version = lambda.currentVersion;
  if (!isVersion(version)) throw new Error('a version that no alias takes');
  const alias = new Alias(scope, 'Live', { aliasName: ALIAS, version });
  const alarm = new Alarm(scope, 'ReleaseFails', {
    alarmName: `${Stack.of(scope).stackName}-release-fails-${scope.node.id}`,
    alarmDescription: `The function ${scope.node.id} fails: a deployment in progress is rolled back. What to do: docs/runbook.md#release-fails`,
    metric: alias.metricErrors({ period: Duration.minutes(1), statistic: Stats.SUM }),
    threshold: ROLLBACK_ERRORS,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  notifyTopic(alarm, alarmTopic);
  const group = new CfnDeploymentGroup(scope, 'Shift', {
    applicationName: findOrCreateApplication(Stack.of(scope)).ref,
    serviceRoleArn: createDeploymentRole(scope, lambda).roleArn,
    deploymentConfigName: DEPLOYMENT_CONFIG,
    deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
    alarmConfiguration: { enabled: true, alarms: [{ name: alarm.alarmName }] },
    autoRollbackConfiguration: {
      enabled: true,
      events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
    },
  });
  const resource = alias.node.defaultChild;
  if (!(resource instanceof CfnAlias)) throw new Error('an alias that cannot be shifted');
  resource.cfnOptions.updatePolicy = {
    codeDeployLambdaAliasUpdate: { applicationName: group.applicationName, deploymentGroupName: group.ref },
  };
  if (!isFunction(alias)) throw new Error('an alias that cannot be called');
  return alias;
}

// The classes declare `role: IRole | undefined`, the interfaces `role?: IRole`; `exactOptionalPropertyTypes` distinguishes them.
const isVersion = (one: IConstruct): one is IVersion => one instanceof Version;
const isFunction = (one: IConstruct): one is IFunction => one instanceof Alias;

/** The time of the synthesis. */
const RELEASE = new Date().toISOString();

function findOrCreateApplication(stack: Stack): CfnApplication {
  const releases = stack.node.tryFindChild('Releases');
  return releases instanceof CfnApplication
    ? releases
    : new CfnApplication(stack, 'Releases', { computePlatform: 'Lambda' });
}

/** Narrower than AWSCodeDeployRoleForLambda, which may change every alias of the account and invoke functions. */
function createDeploymentRole(scope: Construct, lambda: Lambda): Role {
  const role = new Role(scope, 'ShiftRole', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  });
  const { functionArn } = lambda;
  role.addToPolicy(
    new PolicyStatement({
      actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
      resources: [functionArn, `${functionArn}:${ALIAS}`],
    }),
  );
  role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'CodeDeploy asks for the state of alarms, which cannot be limited to some of them.',
  });
  return role;
}
