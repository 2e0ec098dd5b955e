import { MemoryAccountStore } from '../../src/service/index.ts';
import { accountStoreContract } from './account-store.ts';

accountStoreContract('in memory', async () => ({
  stores: [new MemoryAccountStore()],
  close: async () => undefined,
}));
