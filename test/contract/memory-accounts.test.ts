import { MemoryAccountStore } from '../../src/service/index.ts';
import { accountStoreContract } from './account-store.ts';
import { dashboardStoreContract } from './dashboard-store.ts';

const open = async () => ({ stores: [new MemoryAccountStore()], close: async () => undefined });

accountStoreContract('in memory', open);
dashboardStoreContract('in memory', open);
