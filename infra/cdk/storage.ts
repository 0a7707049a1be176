import { CfnOutput, RemovalPolicy } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { TablePropsV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ENV, KEYS, OPEN_INDEX, PERSON_INDEX } from '../../shared/runtime/shared-names.ts';
import type { Use } from './lambda-function.ts';

type TableAction = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query' | 'Scan';

/** The two tables. In `prod` they cannot be deleted, and outlive the stack. */
export class Storage {
  readonly conversations: TableV2;
  readonly tokens: TableV2;

  constructor(stack: Stack, stage: string) {
    const shared: Omit<TablePropsV2, 'partitionKey'> = {
      // A ceiling on what a runaway can cost: about ten times what 120 chat requests a minute need.
      billing: Billing.onDemand({ maxReadRequestUnits: 500, maxWriteRequestUnits: 500 }),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: KEYS.ttl,
      deletionProtection: stage === 'prod',
      removalPolicy: stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    };
    this.conversations = new TableV2(stack, 'Conversations', {
      ...shared,
      partitionKey: text(KEYS.partition),
      sortKey: text(KEYS.sort),
      globalSecondaryIndexes: [
        {
          indexName: OPEN_INDEX.name,
          partitionKey: text(OPEN_INDEX.partition),
          sortKey: { name: OPEN_INDEX.sort, type: AttributeType.NUMBER },
          projectionType: ProjectionType.KEYS_ONLY,
        },
        {
          indexName: PERSON_INDEX.name,
          partitionKey: text(PERSON_INDEX.partition),
          sortKey: text(PERSON_INDEX.sort),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
    this.tokens = new TableV2(stack, 'Tokens', { ...shared, partitionKey: text(KEYS.partition) });
    new CfnOutput(stack, 'ConversationsTable', { value: this.conversations.tableName });
  }

  /** The right to these actions on the items of `conversations`. */
  useConversations(...actions: TableAction[]): Use {
    return tableUse(ENV.conversationsTable, this.conversations, actions);
  }

  /** The right to these actions on the items of `tokens`. */
  useTokens(...actions: TableAction[]): Use {
    return tableUse(ENV.tokensTable, this.tokens, actions);
  }

  /** The right to query these indexes of `conversations`. */
  useIndexes(...indexes: readonly { readonly name: string }[]): Use {
    const resources = indexes.map(({ name }) => `${this.conversations.tableArn}/index/${name}`);
    return { allow: { actions: ['dynamodb:Query'], resources } };
  }
}

const text = (name: string) => ({ name, type: AttributeType.STRING });

function tableUse(name: string, table: TableV2, actions: readonly TableAction[]): Use {
  return {
    env: { [name]: table.tableName },
    allow: { actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] },
  };
}
