import { CfnOutput, RemovalPolicy, SecretValue, Validations, type Stack } from 'aws-cdk-lib';
import { CfnSecret, Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import { ENV, SECRET_PLACEHOLDER } from '../../shared/runtime/index.ts';
import type { Use } from './lambda-function.ts';

/**
 * The credentials, each readable only by the functions that need it. Created with placeholders that the operator replaces;
 * CloudFormation keeps the values unless the placeholder changes.
 */
export class Secrets {
  private readonly slackSigning: Secret;
  private readonly slackBot: Secret;
  private readonly slackOAuth: Secret;
  private readonly discordBot: Secret;
  private readonly upstream: Secret;

  constructor(stack: Stack) {
    this.slackSigning = createSecret(stack, 'SlackSigning', 'slack-signing', {
      description: 'Slack signing secret: {"current"}, and "previous" while you change it',
      // Random until the operator sets it, because a known signing secret would open the endpoint to everyone.
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'current',
        excludePunctuation: true,
      },
    });
    this.slackBot = createSecret(stack, 'SlackBot', 'slack-bot', {
      description: 'Slack bot: {"botToken","botUserId"}',
      ...createPlaceholder('botToken', 'botUserId'),
    });
    this.slackOAuth = createSecret(stack, 'SlackOAuth', 'slack-oauth', {
      description:
        'Slack app for installs in other workspaces: {"clientId","clientSecret"}. Not needed for one workspace',
      ...createPlaceholder('clientId', 'clientSecret'),
    });
    this.discordBot = createSecret(stack, 'DiscordBot', 'discord-bot', {
      description: 'Discord bot: {"botToken"}. Not needed without Discord',
      ...createPlaceholder('botToken'),
    });
    this.upstream = createSecret(stack, 'Upstream', 'upstream', {
      description:
        'API key of the models: {"apiKey"}, further keys as "more": [...], and "searchKey" for the web search',
      ...createPlaceholder('apiKey'),
    });
  }

  useSlackSigning(): Use {
    return createSecretUse(ENV.slackSigningSecretId, this.slackSigning);
  }

  useSlackBot(): Use {
    return createSecretUse(ENV.slackBotSecretId, this.slackBot);
  }

  useSlackOAuth(): Use {
    return createSecretUse(ENV.slackOAuthSecretId, this.slackOAuth);
  }

  useDiscordBot(): Use {
    return createSecretUse(ENV.discordBotSecretId, this.discordBot);
  }

  useUpstream(): Use {
    return createSecretUse(ENV.upstreamSecretId, this.upstream);
  }
}

function createPlaceholder(...keys: string[]): Pick<SecretProps, 'secretObjectValue'> {
  return {
    secretObjectValue: Object.fromEntries(
      keys.map((key) => [key, SecretValue.unsafePlainText(SECRET_PLACEHOLDER)]),
    ),
  };
}

/** `kind` tells the local system which value to serve for this secret. */
function createSecret(stack: Stack, id: string, kind: string, props: SecretProps): Secret {
  const created = new Secret(stack, id, { ...props, removalPolicy: RemovalPolicy.DESTROY });
  const resource = created.node.defaultChild;
  if (resource instanceof CfnSecret) resource.addMetadata('parley:secret', kind);
  new CfnOutput(stack, `${id}Secret`, { value: created.secretArn });
  Validations.of(created).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'Issued by Slack, by Discord or by the owner of the models, who offer no interface that a rotation function could call. ' +
      'Changed by hand without a gap: see docs/runbook.md#change-a-credential.',
  });
  return created;
}

/** The name instead of the ARN: it is 80 bytes shorter, and Lambda allows 4 KB of variables. */
function createSecretUse(name: string, of: Secret): Use {
  return {
    env: { [name]: of.secretName },
    allow: { actions: ['secretsmanager:GetSecretValue'], resources: [of.secretArn] },
  };
}
