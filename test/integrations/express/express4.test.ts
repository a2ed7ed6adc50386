import express from 'express4'
import { mountContract } from '../../contract/contract.js'
import { expressTests } from './express-tests.js'
import { expressHost } from './host.js'

mountContract('Express 4', expressHost(express))
expressTests('Express 4', express)
