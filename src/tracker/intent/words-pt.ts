// Portuguese word rules of search intent, as written in Portugal and Brazil.
import type { WordRules } from './word-rules.ts';

export const words: WordRules = {
  informational: {
    strong:
      'como comprar, como escolher, ^como, como fazer, como limpar, o que e, o que sao, o que significa, por que, porque, quando caiu, quando e, quando foi, ' +
      'quem e, quem foi, onde fica, significado, diferenca entre, sintomas, efeitos colaterais, efeitos secundarios, receita, receitas, tutorial, historia do, ' +
      'historia da, historia de, exemplos, capital da, capital de, capital do, definicao, causas, para que serve, passo a passo, quanto tempo, o que fazer',
    clear:
      'quando, quem, onde, dicas, ideias, previsao do tempo, tempo amanha, padroes, modelo, exercicios, para iniciantes, guia, aprender, beneficios, formula*, ' +
      'remedio*, como, tirar, remover, limpar, eliminar, consertar, quanto, quanta, quantos, quantas, calcular, habitantes, populacao, requisitos, ' +
      'documentos necessarios, salario minimo, salario, feriados, calendario escolar, tabela, resumo, poemas, frases, mensagens, dor, permitido, ' +
      'idade da reforma, idade para aposentar, aviso previo, verbo, verbos, conjugacao, podar, plantar, propriedades, tempo no, tempo na, tempo em',
    weak: 'lista, estatisticas, tipos de, imagens, calculadora',
  },
  navigational: {
    strong:
      'login, entrar, iniciar sessao, site oficial, pagina oficial, atendimento ao cliente, apoio ao cliente, internet banking, minha conta, area do cliente, ' +
      'rastreamento, acessar, webmail',
    clear:
      'horario, horarios, contato, contacto, telefone, portal, ajuda, suporte, aplicativo, app, vagas, check in, rastreio, rastrear, devolucoes, ' +
      'area de cliente, area do aluno, sac, trabalhe conosco, ao vivo',
    weak: 'blog, forum, site',
  },
  commercial: {
    strong:
      'melhor, melhores, avaliacao, avaliacoes, opinioes, comparativo, comparacao, comparar, comparador, vs, versus, alternativa, alternativas, vale a pena, ' +
      'vantagens e desvantagens, qual .. comprar, qual .. escolher, qual .. melhor, e bom, e boa, quanto custa, quanto custam, top 10, top 5, ranking, ' +
      'resenha, analise, guia de compra, reclame aqui, deco proteste, ate .. reais, ate .. euros, menos de .. reais, menos de .. euros, mais barato, ' +
      'mais barata, mais baratos, pros e contras, onde comer, onde jantar, onde almocar',
    clear:
      'teste, review, top, ou, recomendado*, para pequenas empresas, custo beneficio, qual, confiavel, confiaveis, mais bonito, mais bonita, mais bonitos, ' +
      'mais bonitas, recomendad*, charmosa, charmosas, com piscina, para familias',
    weak: 'software, tenis, feminino, masculino, barat*, romantico, romanticas',
  },
  transactional: {
    strong:
      'comprar, compra, encomendar, cupom, cupons, cupao, desconto, descontos, perto de mim, reservar, reserva, baixar, descarregar, download, aluguel, ' +
      'aluguer, alugar, ingressos, bilhetes, cotacao, orcamento, entrega, a venda, teste gratis, assinatura, assinar, contratar, promocao, promocoes, ofertas, ' +
      'marcar consulta, agendar, agendamento, renovar, solicitar, segunda via, inscrever se, delivery, arrendar',
    clear:
      'preco, precos, barato, barata, baratos, baratas, usado, usada, usados, usadas, loja, voos, oferta, passagens, gratis, segunda mao, atacado, ' +
      'por atacado, ultima hora, tudo incluido, all inclusive, urgente, urgencia, 24 horas, 24h, converter, enviar, inscricao, inscricoes, marcar, ferry',
    weak:
      'custo, online, encanador, canalizador, eletricista, chaveiro, serralheiro, advogado, contador, contabilista, dentista, mudancas, dedetizacao, ' +
      'desinfestacao, cabeleireiro, autoescola, florista, desentupidora',
  },
};
