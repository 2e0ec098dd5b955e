// Properties are tested on the same cases each time: a test that fails, fails on every machine, and again.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_260_115 });
